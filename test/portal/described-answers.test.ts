import { DescribedAnswers } from '../support/http/described-answers.js';

/** The description that `npm run build` has written. */
const described = DescribedAnswers.fromFile('dist/openapi.json');

describe('The comparison of answers with the description', () => {
  const answer = { method: 'GET', path: '/api/admin/dashboard', status: 200, type: 'application/json; charset=utf-8' };
  const objection = (changed: object) =>
    described.objectionTo({ ...answer, text: '{"numberOfUsers":1,"numberOfClients":2}', ...changed });

  it.each([
    [undefined, 'an answer that fits', {}],
    [undefined, 'a refusal that every call has', { status: 503 }],
    [undefined, 'an address that is none', { path: '/api/none' }],
    [/the status 409/, 'a status that is not named', { status: 409 }],
    [/media type text\/csv/, 'another media type', { type: 'text/csv' }],
    [/numberOfClients/, 'a missing member', { text: '{"numberOfUsers":1}' }],
    [/numberOfUsers must be number/, 'another type', { text: '{"numberOfUsers":"1","numberOfClients":2}' }],
    [/additional/, 'a member that is not named', { text: '{"numberOfUsers":1,"numberOfClients":2,"more":3}' }],
    [/the status 200/, 'a success of a call that only answers 201', { method: 'POST', path: '/api/admin/client' }],
  ])('objects with %s to %s', (expected, _what, changed) => {
    const found = objection(changed);
    if (expected) expect(found).toMatch(expected);
    else expect(found).toBeUndefined();
  });
});
