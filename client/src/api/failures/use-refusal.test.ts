import { errorsOnPage } from './use-refusal.js';

const body = { errors: [], title: 'Bad Request', statusMessage: 'Invalid', message: 'Something is wrong with it.' };
const refused = (...fields: string[]) => ({
  status: 400,
  data: { ...body, errors: fields.map((field) => ({ field, messages: [`${field} is wrong`] })) },
});

describe('the refusal of a form', () => {
  it('stands at the fields that are on the page, with a value or without', () => {
    const problems = errorsOnPage(refused('email', 'note'), ['email', 'note'], { email: 'a', note: undefined });
    expect(problems).toEqual({ fields: { email: ['email is wrong'], note: ['note is wrong'] }, form: [] });
  });

  it('stands above the button for a field that is not on the page', () => {
    const problems = errorsOnPage(refused('tenant', 'email'), ['tenant', 'email'], { email: 'a' });
    expect(problems).toEqual({ fields: { email: ['email is wrong'] }, form: ['tenant is wrong'] });
  });

  it('is left to the form for a proof, whose field it opens then', () => {
    expect(errorsOnPage(refused('currentPassword'), ['currentPassword'], {})).toEqual({
      fields: { currentPassword: ['currentPassword is wrong'] },
      form: [],
    });
  });
});
