import { type Node, type NodeOf, namesOf, type SourceCode } from './lint-rule.ts';

/** The properties that lead from a value to the part that is read. `element` stands for any element of an array. */
type Path = readonly string[];
export const element = '[]';

/** Returns whether the value, or what it is read from, may come from a node that passes the test. */
export type MayComeFrom = (node: Node, passes: (source: Node) => boolean, path?: Path) => boolean;

const oneOfArray = new Set(['at', 'find', 'findLast', 'pop', 'shift']);
const sameArray = new Set(['concat', 'filter', 'flat', 'reverse', 'slice', 'sort', 'toReversed', 'toSorted']);

/**
 * Follows values backwards within a file: through variables, assignments, objects, arrays, defaults of parameters,
 * promises and the functions of the file. It does not know what other files and the arguments of a function contain.
 */
export function traceValues(sourceCode: SourceCode): MayComeFrom {
  /** The variables that are being followed, because a variable may be assigned from itself. */
  const active = new Set<string>();

  const mayComeFrom: MayComeFrom = (node, passes, path = []) => {
    const from = (other: Node | null | undefined, way: Path = path): boolean =>
      !!other && mayComeFrom(other, passes, way);
    switch (node.type) {
      case 'Identifier':
        return fromVariable(node, passes, path);
      case 'MemberExpression':
        return from(node.object, [keyOf(node), ...path]);
      case 'AwaitExpression':
        return from(node.argument);
      case 'ChainExpression':
      case 'ParenthesizedExpression':
      case 'TSAsExpression':
      case 'TSNonNullExpression':
      case 'TSSatisfiesExpression':
        return from(node.expression);
      case 'AssignmentExpression':
        return from(node.right);
      case 'ConditionalExpression':
        return from(node.consequent) || from(node.alternate);
      case 'LogicalExpression':
        return from(node.left) || from(node.right);
      case 'ObjectExpression':
        return fromObject(node, passes, path);
      case 'ArrayExpression': {
        const [key, ...rest] = path;
        const chosen = node.elements.filter((_, index) => key === element || key === String(index));
        return chosen.some((item) => (item?.type === 'SpreadElement' ? from(item.argument) : from(item, rest)));
      }
      case 'CallExpression':
        return (path.length === 0 && passes(node)) || fromCall(node, passes, path);
      default:
        return path.length === 0 && passes(node);
    }
  };
  return mayComeFrom;

  function fromVariable(node: NodeOf<'Identifier'>, passes: (source: Node) => boolean, path: Path): boolean {
    const variable = variableOf(node);
    if (!variable) return path.length === 0 && passes(node);
    const key = `${variable.scope.block.range[0]} ${variable.name} ${path.join(' ')}`;
    if (active.has(key)) return false;
    active.add(key);
    const sources = [
      ...variable.defs.flatMap((definition) => {
        const { type, name, node: place } = definition;
        if (type === 'Variable' && place.type === 'VariableDeclarator')
          return sourcesIn(place.id, name, sourceOf(place));
        if (type === 'Parameter' && 'params' in place)
          return place.params.flatMap((pattern) => sourcesIn(pattern, name, null));
        return type === 'FunctionName' ? [{ source: place, way: [] }] : [];
      }),
      ...variable.references.flatMap(({ identifier }) => writesTo(identifier)),
    ];
    const [item, ...rest] = path;
    const pushed = item === undefined ? [] : variable.references.flatMap(({ identifier }) => pushedTo(identifier));
    const isImported = variable.defs.some(({ type }) => type === 'ImportBinding');
    const isSo =
      (isImported && path.length === 0 && passes(node)) ||
      sources.some(({ source, way }) => mayComeFrom(source, passes, [...way, ...path])) ||
      pushed.some((source) => mayComeFrom(source, passes, rest));
    active.delete(key);
    return isSo;
  }

  function variableOf(node: NodeOf<'Identifier'>) {
    for (
      let scope = sourceCode.getScope(node) as ReturnType<SourceCode['getScope']> | null;
      scope;
      scope = scope.upper
    ) {
      const variable = scope.set.get(node.name);
      if (variable) return variable;
    }
    return null;
  }

  function fromObject(node: NodeOf<'ObjectExpression'>, passes: (source: Node) => boolean, path: Path): boolean {
    const [key, ...rest] = path;
    // From the end, because a later property replaces what is before it.
    for (const property of node.properties.toReversed()) {
      if (property.type === 'SpreadElement') {
        if (mayComeFrom(property.argument, passes, path)) return true;
      } else if (nameOfKey(property.key) === key) return mayComeFrom(property.value, passes, rest);
    }
    return false;
  }

  function fromCall(node: NodeOf<'CallExpression'>, passes: (source: Node) => boolean, path: Path): boolean {
    const { callee } = node;
    const [first] = node.arguments;
    const fromReturns = (way: Path) => (called: Node) =>
      returnsOf(called).some((returned) => mayComeFrom(returned, passes, way));
    if (callee.type !== 'MemberExpression') return mayComeFrom(callee, fromReturns(path));
    const name = keyOf(callee);
    if (name === 'then') return !!first && mayComeFrom(first, fromReturns(path));
    if (name === 'map') return !!first && path[0] === element && mayComeFrom(first, fromReturns(path.slice(1)));
    if (namesOf(callee)[0] === 'Promise') return !!first && mayComeFrom(first, passes, path);
    if (oneOfArray.has(name)) return mayComeFrom(callee.object, passes, [element, ...path]);
    if (sameArray.has(name) || name === 'catch' || name === 'finally') return mayComeFrom(callee.object, passes, path);
    return mayComeFrom(callee, fromReturns(path));
  }
}

function keyOf({ computed, property }: NodeOf<'MemberExpression'>): string {
  if (!computed) return nameOfKey(property) ?? '';
  return property.type === 'Literal' ? String(property.value) : element;
}

function nameOfKey(key: Node): string | null {
  return key.type === 'Identifier' ? key.name : key.type === 'Literal' ? String(key.value) : null;
}

interface Source {
  source: Node;
  way: Path;
}

/** Returns what a declaration reads: its initial value, or the elements of the array that a loop goes through. */
function sourceOf({ init, parent: { parent: loop } }: NodeOf<'VariableDeclarator'>): Source | null {
  if (init) return { source: init, way: [] };
  return loop?.type === 'ForOfStatement' ? { source: loop.right, way: [element] } : null;
}

/** Returns the sources of one name in a pattern: a part of what the pattern reads, and its defaults. */
function sourcesIn(pattern: Node, name: Node, read: Source | null): Source[] {
  const part = (key: string): Source | null => read && { source: read.source, way: [...read.way, key] };
  switch (pattern.type) {
    case 'Identifier':
      return pattern === name && read ? [read] : [];
    case 'AssignmentPattern':
      return [
        ...sourcesIn(pattern.left, name, read),
        ...sourcesIn(pattern.left, name, { source: pattern.right, way: [] }),
      ];
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) =>
        property.type === 'RestElement'
          ? sourcesIn(property.argument, name, read)
          : sourcesIn(property.value, name, part(nameOfKey(property.key) ?? '')),
      );
    case 'ArrayPattern':
      return pattern.elements.flatMap((item, index) => (item ? sourcesIn(item, name, part(String(index))) : []));
    default:
      return [];
  }
}

/** Returns what is assigned to the variable at this place. */
function writesTo(identifier: Node): Source[] {
  const { parent } = identifier;
  const isWrite = parent?.type === 'AssignmentExpression' && parent.left === identifier;
  return isWrite ? [{ source: parent.right, way: [] }] : [];
}

/** Returns what is pushed to the array at this place. */
function pushedTo({ parent }: Node): Node[] {
  const call = parent?.parent;
  const isPush = parent?.type === 'MemberExpression' && keyOf(parent) === 'push' && call?.type === 'CallExpression';
  return isPush ? call.arguments : [];
}

/** Returns the expressions that a function returns. */
export function returnsOf(called: Node): Node[] {
  if (called.type === 'ArrowFunctionExpression' && called.body.type !== 'BlockStatement') return [called.body];
  return 'body' in called && called.type.includes('Function') ? returnsIn(called.body) : [];
}

function returnsIn(part: unknown): Node[] {
  if (Array.isArray(part)) return part.flatMap(returnsIn);
  if (!isNode(part) || part.type.includes('Function')) return [];
  if (part.type === 'ReturnStatement') return part.argument ? [part.argument] : [];
  return Object.entries(part).flatMap(([key, child]) => (key === 'parent' ? [] : returnsIn(child)));
}

function isNode(part: unknown): part is Node {
  return typeof part === 'object' && part !== null && 'type' in part && typeof part.type === 'string';
}
