"""A small web of two sites, and how the tests of the browser go about in it."""

import json

from protocol import ActionTarget, CallApi, Click

WORLD = """
today: 2026-03-05
screen: [1280, 1200]
user: Ann Lee
apps:
  browser:
    home: acme
    sites:
      acme:
        title: Acme
        menu: [{text: Start, to: /}]
        login: {user: ann, password: pine-4711, pages: 3}
        pages:
          /:
            title: Welcome to Acme
            blocks:
              - text: Pages of the house
              - list: [{text: The rules, to: /rules}, plain words]
              - link: {text: Partner, to: "http://Partner.example/", new: true}
              - link: {text: Salaries, to: /salaries}
              - link: {text: More of it, to: /rules, plain: true}
              - image: {file: people-icon.png, to: /people}
              - image: {file: team.jpg, alt: The team}
              - link: {text: plan.txt, download: Monday}
          /rules:
            title: Rules
            blocks:
              - heading: Travel
              - text: A hotel may cost 120 a night.
              - table: {columns: [City, Limit], rows: [[Basel, 140], [Oslo, 150]]}
          /old: {redirect: /older}
          /older: {redirect: /rules}
          /circle: {redirect: /circle}
          /salaries: {title: Salaries, private: true, blocks: [{text: Ann earns 4200.}]}
          /people: {title: People, blocks: [{collection: people}]}
          /order:
            title: Order
            private: true
            blocks: [{form: {title: What, fields: [{label: Thing, required: true}], button: Order}}]
          /desk:
            title: Helpdesk
            blocks:
              - form:
                  title: Report
                  button: Send
                  confirm: Send the report?
                  done: Kept as {number}.
                  letter: {sender: desk@acme.example, subject: "Report {number}", text: Thanks.}
                  fields:
                    - {label: Subject, required: true}
                    - {label: Mail, kind: email, value: ann@acme.example}
                    - {label: Floor, kind: number, least: 1, most: 9}
                    - {label: Day, kind: date}
                    - {label: Kind, kind: select, options: [Computer, Printer], required: true}
                    - {label: Details, kind: area}
                    - {label: Secret, kind: password}
                    - {label: I agree, kind: checkbox, required: true}
        collections:
          people:
            noun: people
            columns: [Room]
            size: 2
            entries:
              ann: {title: Ann Lee, values: {Room: "1.01", Phone: 555-1}}
              bob: {title: Bob Ray, values: {Room: "2.02", Phone: 555-2}}
              eve: {title: Eve Lee, values: {Room: "3.03", Phone: 555-3}, text: Away on Fridays.}
            each: [{form: {button: Call back, fields: [{label: When}]}}]
      partner.example:
        title: Partner
        seconds: 2
        consent: {text: We count you., wall: true}
        pages: {/: {title: Our partner, blocks: [{text: Nothing on travel here.}]}}
  files: {files: {/Downloads/plan.txt: older}}
  mail: {messages: []}
  notes: {notes: []}
open: [browser]
"""


def call(h, function, **arguments):
    result = h.do(CallApi(app="browser", function=function, arguments=arguments))
    return json.loads(result.output) if result.ok else result.error


def title(h):
    return h.texts("heading")[0]


def address(h):
    return h.element("Address").value


def go(h, text):
    h.fill("Address", text)
    assert h.click("Go").ok


def press_key(h, key):
    """Press something by the name that only the browser itself gives to it."""
    element = next(e for e in h.screen.elements if e.track_id == f"browser.{key}")
    return h.do(Click(target=ActionTarget(element_id=element.element_id)))
