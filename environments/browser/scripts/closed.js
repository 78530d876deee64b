/* Begun with each document: ways to the network that no request shows are not there. */
(() => { for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport'])
  { try { delete globalThis[name]; } catch {} } })()
