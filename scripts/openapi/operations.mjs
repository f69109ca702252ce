/** The routes below `/api`, as the decorators and the types of the controllers declare them. */
import ts from 'typescript';
import { commentOf } from './program.mjs';

const methods = { Get: 'get', Post: 'post', Put: 'put', Delete: 'delete', Patch: 'patch' };

export function operationsOf({ checker, controllers }) {
  return controllers.flatMap((file) =>
    file.statements.filter(ts.isClassDeclaration).flatMap((declaration) => ofController(declaration, checker)),
  );
}

function ofController(declaration, checker) {
  const ownDecorators = decoratorsOf(declaration);
  const base = ownDecorators.Controller?.[0];
  if (base === undefined || !`${base}/`.startsWith('api/')) return [];
  return declaration.members.filter(ts.isMethodDeclaration).flatMap((member) => {
    const decorators = decoratorsOf(member);
    const [name] = Object.keys(decorators).filter((one) => one in methods);
    if (!name) return [];
    const path = `/${[base, decorators[name][0]].filter(Boolean).join('/')}`;
    return [
      {
        id: `${declaration.name.text.replace(/Controller$/, '')}.${member.name.text}`,
        method: methods[name],
        path: path.replace(/:(\w+)/g, '{$1}'),
        access: accessOf(decorators) ?? accessOf(ownDecorators),
        isPolled: 'Polled' in decorators,
        isForPeople: 'PeopleOnly' in decorators,
        // Where representation is off its calls do not exist.
        isOptional: 'AboutRepresentation' in ownDecorators,
        status: decorators.HttpCode?.[0] ?? (name === 'Post' ? 201 : 200),
        answer: answerOf(member, checker),
        ...parametersOf(member, checker),
        ...wordsOf(member),
      },
    ];
  });
}

/** The literal arguments of each decorator, by its name. */
function decoratorsOf(node) {
  const calls = (ts.getDecorators(node) ?? []).map(({ expression }) => expression).filter(ts.isCallExpression);
  return Object.fromEntries(calls.map((call) => [call.expression.getText(), call.arguments.map(literalOf)]));
}

function literalOf(node) {
  if (ts.isStringLiteral(node)) return node.text;
  return ts.isNumericLiteral(node) ? Number(node.text) : undefined;
}

/** The types of users, or an empty list for a route that is open to everyone. */
function accessOf(decorators) {
  return 'Public' in decorators ? [] : decorators.For;
}

function answerOf(member, checker) {
  const signature = checker.getSignatureFromDeclaration(member);
  const type = checker.getReturnTypeOfSignature(signature);
  return type.symbol?.name === 'Promise' ? checker.getTypeArguments(type)[0] : type;
}

function parametersOf(member, checker) {
  const found = { pathNames: [], queryNames: [], query: undefined, body: undefined };
  for (const parameter of member.parameters) {
    const { Param, Query, Body } = decoratorsOf(parameter);
    if (Param) found.pathNames.push(Param[0]);
    else if (Query?.length > 0) found.queryNames.push({ name: Query[0], isOptional: Boolean(parameter.questionToken) });
    else if (Query) found.query = checker.getTypeAtLocation(parameter);
    else if (Body) found.body = checker.getTypeAtLocation(parameter);
  }
  return found;
}

/**
 * From the comment of the method: its first sentence is the summary. `@refuses 409` names further statuses of refusals,
 * `@takes application/octet-stream` a body that is a file,
 * `@answers 200 text/csv` an answer that is not JSON of the returned type (a type of the contract can follow).
 */
function wordsOf(member) {
  const { text, tags } = commentOf(member);
  const [, summary, description] = /^(.*?[^.]\.)(?=\s|$)\s*([\s\S]*)$/.exec(text) ?? [];
  const textsOf = (name) => tags.filter((tag) => tag.name === name).map((tag) => tag.text);
  return {
    summary: summary?.slice(0, -1),
    description,
    refusals: textsOf('refuses').flatMap((one) => one.split(/[\s,]+/).map(Number)),
    takes: textsOf('takes')[0],
    answers: textsOf('answers').map((one) => {
      const [status, mediaType, type] = one.split(/\s+/);
      return { status: Number(status), mediaType, type };
    }),
  };
}
