"""
Prints the part of the OpenAPI document that a Cog server reads: make_schema.py > .cog/openapi_schema.json

`cog build` writes that file into an image, but needs Docker. Without the file, a server validates nothing and has no
/openapi.json. Like `cog build`, this script parses run.py without running it, so it is fast and needs no packages.
"""

import ast
import json
from pathlib import Path

TYPES: dict[str, dict] = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "bool": {"type": "boolean"},
    "Path": {"type": "string", "format": "uri"},
}
LIMITS = {"ge": "minimum", "le": "maximum", "min_length": "minLength", "max_length": "maxLength"}


def main() -> None:
    source = Path(__file__).with_name("run.py").read_text(encoding="utf-8")
    print(json.dumps(render_schema(source), indent=2))


def render_schema(source: str) -> dict:
    """Returns the document for the class Runner in this source."""
    run = find_run(ast.parse(source))
    inputs = list(zip(run.args.args[1:], run.args.defaults, strict=True))
    properties = {argument.arg: describe_input(argument, call, order) for order, (argument, call) in enumerate(inputs)}
    schemas = {
        "Input": {
            "title": "Input",
            "type": "object",
            "required": [argument.arg for argument, call in inputs if "default" not in keywords(call)],
            "properties": properties,
        },
        "Output": {"title": "Output", **TYPES[ast.unparse(run.returns)]},
    }
    info = {"title": "Cog", "version": "0.1.0"}
    return {"openapi": "3.0.2", "info": info, "paths": {}, "components": {"schemas": schemas}}


def find_run(module: ast.Module) -> ast.FunctionDef:
    """Returns the method that Cog calls."""
    for node in module.body:
        if isinstance(node, ast.ClassDef) and node.name == "Runner":
            for member in node.body:
                if isinstance(member, ast.FunctionDef) and member.name == "run":
                    return member
    raise ValueError("run.py has no method Runner.run")


def describe_input(argument: ast.arg, call: ast.Call, order: int) -> dict:
    """Returns one property, from `name: type = Input(…)`."""
    annotation = ast.unparse(argument.annotation)
    is_optional = annotation.startswith("Optional[")
    given = keywords(call)
    described = {"title": argument.arg.replace("_", " ").title(), "x-order": order}
    described |= TYPES[annotation.removeprefix("Optional[").removesuffix("]")]
    if is_optional:
        described["nullable"] = True
    if given.get("default") is not None:
        described["default"] = given["default"]
    if "description" in given:
        described["description"] = given["description"]
    return described | {LIMITS[name]: value for name, value in given.items() if name in LIMITS}


def keywords(call: ast.Call) -> dict:
    """Returns the keyword arguments of Input(…). They must be literals, as `cog build` requires too."""
    return {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}


if __name__ == "__main__":
    main()
