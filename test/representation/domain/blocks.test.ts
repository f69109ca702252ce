import { identitiesOf } from '../../../src/representation/domain/blocks.js';

const unknown = { accountId: null, email: null, relatedPerson: null };

describe('A pair is blocked by', () => {
  it.each([
    ['the account', { accountId: 'a1' }, [{ kind: 'account', value: 'a1' }]],
    [
      'the mail address, however it is written',
      { email: ' Ana@Mail.Example ' },
      [{ kind: 'email', value: 'ana@mail.example' }],
    ],
    ['the resource', { relatedPerson: 'RelatedPerson/r' }, [{ kind: 'related-person', value: 'RelatedPerson/r' }]],
    ['nothing that is not known', {}, []],
  ])('%s', (_what, known, expected) => {
    expect(identitiesOf({ ...unknown, ...known })).toEqual(expected);
  });
});
