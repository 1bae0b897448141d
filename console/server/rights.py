"""Who may use which route: the one place where it is said. A route that is not here cannot be used by anybody."""

from collections.abc import Mapping
from typing import Final

from console.auth.oidc_settings import RETURN_PATH
from console.auth.roles import ROLES, Role
from streams.alerting.acts import MAY

Allowed = frozenset[Role] | None
"""The roles that may; None: everybody, signed in or not."""

OPEN: Final[Allowed] = None
ALL: Final[frozenset[Role]] = frozenset(ROLES)
WATCHING: Final[frozenset[Role]] = frozenset({"operator", "shift_manager", "auditor"})
REPORTING: Final[frozenset[Role]] = frozenset({"shift_manager", "auditor"})
RESPONDING: Final[frozenset[Role]] = frozenset({"shift_manager", "administrator"})
AUDITING: Final[frozenset[Role]] = frozenset({"auditor"})
ADMINISTERING: Final[frozenset[Role]] = frozenset({"administrator"})
OVERSEEING: Final[frozenset[Role]] = frozenset({"auditor", "administrator"})

PAGES: Final[Mapping[str, frozenset[Role]]] = {
    "/": ALL,
    "/tables/{table}": ALL,
    "/desk": ALL,
    "/rounds": WATCHING,
    "/rounds/{table}/{shoe:path}/{round:int}": WATCHING,
    "/reports": WATCHING,
    "/reports/incidents/{finding}": REPORTING,
    "/changes": OVERSEEING,
    "/people": ADMINISTERING,
    "/access": OVERSEEING,
    "/account": ALL,
}
"""The screens: all are the same page, which asks the API for what it shows."""

RIGHTS: Final[Mapping[str, Allowed]] = {
    "GET /healthz": OPEN,
    "GET /public/{name}": OPEN,
    "GET /static/{name}": ALL,
    "GET /openapi.json": ALL,
    **{f"GET {path}": roles for path, roles in PAGES.items()},
    "GET /sign-in/oidc": OPEN,
    f"GET {RETURN_PATH}": OPEN,
    "GET /api/v1/sign-in": OPEN,
    "POST /api/v1/session": OPEN,
    "GET /api/v1/session": ALL,
    "DELETE /api/v1/session": ALL,
    "PUT /api/v1/session/password": ALL,
    "GET /api/v1/floor": ALL,
    "GET /api/v1/floor/stream": ALL,
    "GET /api/v1/tables/{table}": ALL,
    "GET /api/v1/tables/{table}/stream": ALL,
    "GET /api/v1/tables/{table}/hold": ALL,
    "GET /api/v1/alerts": ALL,
    "GET /api/v1/alerts/{alert}": ALL,
    "POST /api/v1/alerts/{alert}/acknowledge": MAY["acknowledge"],
    "POST /api/v1/alerts/{alert}/take": MAY["take"],
    "POST /api/v1/alerts/{alert}/resolve": MAY["resolve"],
    "POST /api/v1/alerts/{alert}/reopen": MAY["reopen"],
    "POST /api/v1/alerts/{alert}/hand-over": MAY["hand over"],
    "POST /api/v1/alerts/{alert}/note": MAY["note"],
    "GET /api/v1/uncertain-acts": ALL,
    "DELETE /api/v1/uncertain-acts/{act}": ALL,
    "GET /api/v1/self-test": RESPONDING,
    "GET /api/v1/catalogue": ALL,
    "GET /api/v1/rounds": WATCHING,
    "GET /api/v1/rounds/{table}/{shoe:path}/{round:int}": WATCHING,
    "GET /api/v1/rounds/{table}/{shoe:path}/{round:int}/compare": WATCHING,
    "GET /api/v1/rounds/{table}/{shoe:path}/{round:int}/verify": REPORTING,
    "GET /api/v1/rounds/{table}/{shoe:path}/{round:int}/proof": REPORTING,
    "GET /api/v1/rounds/{table}/{shoe:path}/{round:int}/bundle": REPORTING,
    "GET /api/v1/rounds/{table}/{shoe:path}/{round:int}/refund": REPORTING,
    "POST /api/v1/rounds/{table}/{shoe:path}/{round:int}/what-if": AUDITING,
    "GET /api/v1/reports/shift": WATCHING,
    "GET /api/v1/reports/shift/by/{by}": WATCHING,
    "GET /api/v1/reports/shift/{part}.csv": REPORTING,
    "GET /api/v1/reports/incidents/{finding}": REPORTING,
    "GET /api/v1/changes": OVERSEEING,
    "POST /api/v1/changes": ADMINISTERING,
    "POST /api/v1/changes/{change}/approve": ADMINISTERING,
    "POST /api/v1/changes/{change}/reject": ADMINISTERING,
    "POST /api/v1/changes/{change}/withdraw": ADMINISTERING,
    "GET /api/v1/people": ADMINISTERING,
    "POST /api/v1/people": ADMINISTERING,
    "PATCH /api/v1/people/{name}": ADMINISTERING,
    "GET /api/v1/colleagues": MAY["hand over"],
    "GET /api/v1/access-log": OVERSEEING,
}
