/**
 * Finds code of packages that behaves differently in the built server. A file of CommonJS is sloppy unless it says
 * `'use strict'`; in the bundle, which consists of ES modules, all code is strict, and no file has an address of its
 * own (decision 0053).
 */
import { Script } from 'node:vm';
import { parseAst } from 'rolldown/parseAst';

/** Names that Node gives to each file of CommonJS, and the bundler as well. */
const givenNames = ['exports', 'module', 'require'];
const scriptOptions = { lang: 'js', sourceType: 'commonjs' };
/** Nearly all files say so, and need no further look unless they ask for their address. */
const saysStrict = /^(?:\s|\/\*[\s\S]*?\*\/|\/\/.*\n|#!.*\n)*['"]use strict['"]/;
const asksForAddress =
  /__(?:dir|file)name|module\.(?:parent|paths|children|filename)|require\.main|require\(\s*[^'"\s]/;

/**
 * The code of this file that the bundle changes: `line 12: arguments.callee`. Nothing in an ES module, which is strict
 * already.
 */
export function changedByBundling(code) {
  if (saysStrict.test(code) && !asksForAddress.test(code)) return [];
  const body = scriptBody(code);
  if (!body) return [];
  const lineAt = (index) => code.slice(0, index).split('\n').length;
  const found = [];
  const note = (node, text) => found.push(`line ${lineAt(node.start)}: ${text}`);
  const isStrict = hasStrictDirective(body);
  if (!isStrict) {
    const refusal = strictRefusal(code);
    if (refusal) found.push(refusal);
  }
  const program = { names: namesIn(body, new Set(givenNames)), parent: undefined, isStrict };
  if (!isStrict) noteBlockFunctions(body, note);
  for (const node of body) walk(node, program, note);
  return [...new Set(found)];
}

/** The statements of a file of CommonJS; undefined for an ES module. */
function scriptBody(code) {
  try {
    return parseAst(code, scriptOptions).body;
  } catch (error) {
    const { body } = parseAst(code, { lang: 'js', sourceType: 'module' });
    if (body.some(({ type }) => /^(Import|Export)/.test(type))) return undefined;
    throw error;
  }
}

/**
 * The first syntax that strict code does not have: `with`, octal numbers, parameters of one name. V8 knows it, and the
 * parser accepts both.
 */
function strictRefusal(code) {
  try {
    new Script(`(function () { 'use strict'; ${code.replace(/^#!/, '//')}\n})`);
    return undefined;
  } catch (error) {
    return `syntax: ${error.message}`;
  }
}

const hasStrictDirective = (body) => body.some(({ directive }) => directive === 'use strict');

const isFunction = ({ type }) => /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(type);

/** `scope` is that of the nearest function: names of blocks count as its own. */
function walk(node, scope, note) {
  if (!node || typeof node.type !== 'string') return;
  noteFileNames(node, scope, note);
  if (!scope.isStrict) noteSloppy(node, scope, note);
  const within = isFunction(node) ? functionScope(node, scope) : scope;
  if (isFunction(node) && !within.isStrict) {
    noteMappedArguments(node, note);
    noteBlockFunctions(bodyOf(node), note);
  }
  // The body of a class is strict.
  const inside = node.type === 'ClassBody' ? { ...within, isStrict: true } : within;
  for (const child of childrenOf(node)) walk(child, inside, note);
}

const bodyOf = ({ body }) => (body.type === 'BlockStatement' ? body.body : []);

function functionScope(node, parent) {
  const names = namesIn([...node.params, node.body], new Set(['arguments']));
  if (node.id) names.add(node.id.name);
  return { names, parent, isStrict: parent.isStrict || hasStrictDirective(bodyOf(node)) };
}

function noteFileNames(node, scope, note) {
  if (node.type === 'Identifier' && /^__(dir|file)name$/.test(node.name) && !isDeclared(node.name, scope)) {
    note(node, node.name);
  }
  if (node.type === 'MemberExpression' && node.object.name === 'module' && !isDeclared('module', scope, 'own')) {
    if (/^(parent|paths|children|filename)$/.test(node.property.name ?? '')) note(node, `module.${node.property.name}`);
  }
  if (node.type === 'MemberExpression' && node.object.name === 'require' && node.property.name === 'main')
    note(node, 'require.main');
  if (node.type !== 'CallExpression' || node.callee.name !== 'require' || isDeclared('require', scope, 'own')) return;
  const [wanted] = node.arguments;
  if (wanted && !(wanted.type === 'Literal' && typeof wanted.value === 'string'))
    note(node, 'require of a computed name');
}

function noteSloppy(node, scope, note) {
  if (node.type === 'MemberExpression' && !node.computed) {
    const { name } = node.property;
    if (node.object.name === 'arguments' && /^calle[er]$/.test(name)) note(node, `arguments.${name}`);
    else if (name === 'caller') note(node, 'caller of a function');
  }
  for (const target of targetsOf(node)) {
    if (!isDeclared(target.name, scope)) note(target, `assignment to the global ${target.name}`);
  }
  const called = node.type === 'CallExpression' && unwrapped(node.callee);
  if (called && called.type === 'FunctionExpression' && uses(called.body, (one) => one.type === 'ThisExpression')) {
    note(node, 'this of a function that is called at once');
  }
}

/** A change of a parameter changes `arguments` in sloppy code only. */
function noteMappedArguments(node, note) {
  if (node.type === 'ArrowFunctionExpression' || node.params.some(({ type }) => type !== 'Identifier')) return;
  const parameters = new Set(node.params.map(({ name }) => name));
  const isChange = (one) => targetsOf(one).some(({ name }) => parameters.has(name));
  const isArguments = (one) => one.type === 'Identifier' && one.name === 'arguments';
  if (uses(node.body, isArguments) && uses(node.body, isChange)) note(node, 'arguments next to a changed parameter');
}

/** In strict code a function that is declared in a block is unknown outside of it. */
function noteBlockFunctions(body, note) {
  const inBlocks = body.flatMap((node) => (isFunction(node) ? [] : functionsOfBlocks(node, undefined)));
  for (const { declaration, block } of inBlocks) {
    const isOutside = (one) => one.type === 'Identifier' && one.name === declaration.id.name && !within(one, block);
    if (body.some((node) => contains(node, isOutside)))
      note(declaration, `function ${declaration.id.name} outside of its block`);
  }
}

const within = (node, block) => node.start >= block.start && node.end <= block.end;

function functionsOfBlocks(node, block) {
  if (node.type === 'FunctionDeclaration') return block ? [{ declaration: node, block }] : [];
  if (isFunction(node)) return [];
  const inner = node.type === 'BlockStatement' || node.type === 'SwitchStatement' ? node : block;
  return childrenOf(node).flatMap((child) => functionsOfBlocks(child, inner));
}

const contains = (node, fits) => fits(node) || childrenOf(node).some((child) => contains(child, fits));

function targetsOf(node) {
  if (node.type === 'AssignmentExpression') return identifiersIn(node.left);
  if (node.type === 'UpdateExpression') return identifiersIn(node.argument);
  if (/^For(In|Of)Statement$/.test(node.type) && node.left.type !== 'VariableDeclaration')
    return identifiersIn(node.left);
  return [];
}

/** Identifiers that a pattern binds or assigns; none for a member of an object. */
function identifiersIn(pattern) {
  switch (pattern?.type) {
    case 'Identifier':
      return [pattern];
    case 'ObjectPattern':
      return pattern.properties.flatMap((one) => identifiersIn(one.type === 'RestElement' ? one : one.value));
    case 'ArrayPattern':
      return pattern.elements.flatMap(identifiersIn);
    case 'AssignmentPattern':
      return identifiersIn(pattern.left);
    case 'RestElement':
      return identifiersIn(pattern.argument);
    default:
      return [];
  }
}

/** Names that are declared in these nodes, apart from those of functions within. */
function namesIn(nodes, names) {
  for (const node of nodes) {
    if (!node || typeof node.type !== 'string') continue;
    if (node.type === 'VariableDeclarator') for (const { name } of identifiersIn(node.id)) names.add(name);
    if (node.type === 'CatchClause') for (const { name } of identifiersIn(node.param)) names.add(name);
    if (/^(Function|Class)Declaration$/.test(node.type)) names.add(node.id.name);
    // Parameters.
    if (/Pattern$|^RestElement$|^Identifier$/.test(node.type))
      for (const { name } of identifiersIn(node)) names.add(name);
    if (isFunction(node)) continue;
    namesIn(
      childrenOf(node).filter((child) => child.type !== 'Identifier' && !/Pattern$/.test(child.type)),
      names,
    );
  }
  return names;
}

function isDeclared(name, scope, which = 'any') {
  for (let at = scope; at; at = at.parent) {
    // The outermost scope has the names that Node gives.
    if (which === 'own' && at.parent === undefined && givenNames.includes(name)) return false;
    if (at.names.has(name)) return true;
  }
  return false;
}

/** True if a node of the function itself fits; functions within have `this` and `arguments` of their own. */
function uses(node, fits) {
  if (!node || typeof node.type !== 'string') return false;
  if (fits(node)) return true;
  if (/^Function/.test(node.type)) return false;
  return childrenOf(node).some((child) => uses(child, fits));
}

function unwrapped(node) {
  return node?.type === 'ParenthesizedExpression' ? unwrapped(node.expression) : node;
}

function childrenOf(node) {
  const children = [];
  for (const [key, value] of Object.entries(node)) {
    // A name that is not a variable.
    if (key === 'property' && node.type === 'MemberExpression' && !node.computed) continue;
    if (key === 'key' && !node.computed && !node.shorthand) continue;
    if (Array.isArray(value)) children.push(...value.filter((one) => one && typeof one.type === 'string'));
    else if (value && typeof value === 'object' && typeof value.type === 'string') children.push(value);
  }
  return children;
}
