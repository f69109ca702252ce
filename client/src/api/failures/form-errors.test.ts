import { formErrors } from './form-errors.js';

const body = { errors: [], title: 'Bad Request', statusMessage: 'Invalid', message: 'Something is wrong with it.' };

describe('the errors of a form', () => {
  it.each([undefined, null, new Error('offline'), { status: 'FETCH_ERROR', error: 'x' }, { status: 'PARSING_ERROR' }])(
    'are unexpected without a usable response (%p)',
    (error) => {
      expect(formErrors(error).form).toEqual(['An unexpected error occurred']);
    },
  );

  it.each([
    [{ status: 503, data: { ...body, message: 'Please wait.' } }, 'Please wait.'],
    [{ status: 503, data: undefined }, 'Service temporarily unavailable'],
    [{ status: 503, data: { ...body, message: '' } }, 'Service temporarily unavailable'],
    [{ status: 400, data: body }, 'Bad Request'],
    [{ status: 400, data: { ...body, title: '' } }, 'Invalid'],
    [{ status: 400, data: '<html>' }, 'An unexpected error occurred'],
    [{ status: 400, data: { errors: 'no list' } }, 'An unexpected error occurred'],
  ])('of the response %j are one message', (error, message) => {
    expect(formErrors(error).form).toEqual([message]);
  });

  it('are all messages in their order', () => {
    const errors = [{ messages: ['one', 'two'] }, { field: 'other', messages: ['three'] }];
    expect(formErrors({ status: 400, data: { ...body, errors } }).form).toEqual(['one', 'two', 'three']);
  });

  it('are assigned to the fields they name', () => {
    const errors = [
      { field: 'Password', messages: ['Too common'] },
      { field: 'Password', messages: ['Too short'] },
      { messages: ['Try later'] },
    ];
    expect(formErrors({ status: 400, data: { ...body, errors } }, ['Email', 'Password'])).toEqual({
      fields: { Password: ['Too common', 'Too short'] },
      form: ['Try later'],
    });
  });

  it('need no message for the form when each error belongs to a field', () => {
    const errors = [{ field: 'Email', messages: ['Taken'] }];
    expect(formErrors({ status: 400, data: { ...body, errors } }, ['Email']).form).toEqual([]);
  });
});
