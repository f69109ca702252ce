/**
 * The mutants of a source file: small changes, each of which a test should notice. Found in the syntax tree, so that
 * types, imports and comments stay as they are.
 */
import ts from 'typescript';

const otherOperator = {
  '&&': ['||'],
  '||': ['&&'],
  '===': ['!=='],
  '!==': ['==='],
  '<': ['<=', '>'],
  '<=': ['<', '>'],
  '>': ['>=', '<'],
  '>=': ['>', '<'],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '+=': ['-='],
  '-=': ['+='],
};
const otherMethod = {
  some: 'every',
  every: 'some',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  toLowerCase: 'toUpperCase',
  toUpperCase: 'toLowerCase',
  min: 'max',
  max: 'min',
  indexOf: 'lastIndexOf',
  lastIndexOf: 'indexOf',
  find: 'findLast',
};
/** A call of one of these is replaced by the value it is called on. */
const leftOut = ['filter', 'trim', 'sort', 'toSorted', 'slice', 'reverse', 'normalize', 'replace', 'replaceAll'];

/**
 * Each with its place, the text there and the text instead of it; of one file, in the order of the places.
 *
 * @returns {{ start: number, end: number, line: number, before: string, after: string }[]}
 */
export function mutantsOf(source) {
  const tree = ts.createSourceFile('file.ts', source, ts.ScriptTarget.Latest, true);
  const found = [];
  const add = (node, after) => {
    const start = node.getStart(tree);
    const { line } = tree.getLineAndCharacterOfPosition(start);
    const before = source.slice(start, node.end);
    if (before !== after) found.push({ start, end: node.end, line: line + 1, before, after });
  };
  const visit = (node) => {
    if (isWithoutBehaviour(node)) return;
    for (const [changed, after] of changesOf(node, tree)) add(changed, after);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  const places = new Set();
  return found
    .filter(({ start, end, after }) => {
      const key = `${start} ${end} ${after}`;
      return !places.has(key) && places.add(key);
    })
    .sort((one, other) => one.start - other.start || one.end - other.end);
}

function isWithoutBehaviour(node) {
  return (
    ts.isTypeNode(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isImportDeclaration(node) ||
    ts.isDecorator(node) ||
    (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined)
  );
}

/** Pairs of a node and the text instead of it. */
function changesOf(node, tree) {
  const text = (part) => part.getText(tree);
  if (ts.isBinaryExpression(node)) {
    // `??` and `&&` cannot stand next to each other without parentheses.
    if (node.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken) {
      return [[node, `((${text(node.left)}) && (${text(node.right)}))`]];
    }
    return (otherOperator[text(node.operatorToken)] ?? []).map((operator) => [node.operatorToken, operator]);
  }
  if (ts.isPrefixUnaryExpression(node)) {
    if (node.operator === ts.SyntaxKind.ExclamationToken) return [[node, text(node.operand)]];
    return node.operator === ts.SyntaxKind.MinusToken ? [[node, text(node.operand)]] : [];
  }
  if (ts.isIfStatement(node)) return conditions(node.expression);
  if (ts.isConditionalExpression(node)) return conditions(node.condition);
  if (ts.isWhileStatement(node)) return [[node.expression, 'false']];
  if (ts.isReturnStatement(node)) return results(node.expression);
  if (ts.isArrowFunction(node)) return ts.isBlock(node.body) ? [] : results(node.body);
  if (ts.isThrowStatement(node)) return [[node, ';']];
  if (ts.isExpressionStatement(node)) return [[node, ';']];
  if (ts.isCallExpression(node)) return calls(node, text);
  if (ts.isArrayLiteralExpression(node)) return node.elements.length > 0 ? [[node, '[]']] : [];
  if (ts.isRegularExpressionLiteral(node)) return expressions(text(node)).map((after) => [node, after]);
  return literals(node);
}

/** Not for `false` and `null`, which most callers take like nothing. */
function results(expression) {
  const isNothing = [undefined, ts.SyntaxKind.FalseKeyword, ts.SyntaxKind.NullKeyword].includes(expression?.kind);
  return isNothing ? [] : [[expression, 'undefined']];
}

function conditions(expression) {
  return [
    [expression, 'true'],
    [expression, 'false'],
  ];
}

function calls(node, text) {
  if (!ts.isPropertyAccessExpression(node.expression)) return [];
  const { name, expression } = node.expression;
  const other = Object.hasOwn(otherMethod, name.text) ? [[name, otherMethod[name.text]]] : [];
  return leftOut.includes(name.text) ? [...other, [node, text(expression)]] : other;
}

/** Without its anchors, without each flag, and with another bound of each repetition. */
function expressions(literal) {
  const [, pattern, flags] = /^\/(.*)\/([a-z]*)$/s.exec(literal);
  const bodies = [
    ...(pattern.startsWith('^') && pattern.length > 1 ? [pattern.slice(1)] : []),
    ...(pattern.endsWith('$') && !pattern.endsWith('\\$') && pattern.length > 1 ? [pattern.slice(0, -1)] : []),
    ...[...pattern.matchAll(/\{(\d+,)?(\d+)\}/g)].map(
      ({ 0: all, 1: least = '', 2: most, index }) =>
        `${pattern.slice(0, index)}{${least}${Number(most) + 1}}${pattern.slice(index + all.length)}`,
    ),
  ];
  return [
    ...bodies.map((body) => `/${body}/${flags}`),
    // Without `u` or `g` an expression can mean nothing or be refused by its method.
    ...[...flags].filter((flag) => 'is'.includes(flag)).map((flag) => `/${pattern}/${flags.replace(flag, '')}`),
  ];
}

function literals(node) {
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [[node, 'false']];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [[node, 'true']];
  if (ts.isNumericLiteral(node)) return [[node, String(Number(node.text.replaceAll('_', '')) + 1)]];
  if (ts.isTemplateExpression(node)) return [[node, '``']];
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) {
    // The name of a member is not a value.
    if (node.parent.name === node) return [];
    return [[node, node.text === '' ? "'mutated'" : "''"]];
  }
  return [];
}
