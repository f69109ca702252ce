import { senderOf } from '../../../src/platform/config/email.js';

describe('The setting email.from', () => {
  it.each([
    ['portal@harbour.example', { address: 'portal@harbour.example' }],
    ['<portal@harbour.example>', undefined],
    ['Harbour Hospital <portal@harbour.example>', { name: 'Harbour Hospital', address: 'portal@harbour.example' }],
    ['Hôpital du Port<portal@harbour.example>', { name: 'Hôpital du Port', address: 'portal@harbour.example' }],
    [
      '"Harbour, \\"North\\"" <portal@harbour.example>',
      { name: 'Harbour, "North"', address: 'portal@harbour.example' },
    ],
    ['Harbour, North <portal@harbour.example>', undefined],
    ['Harbour <portal@harbour.example', undefined],
    ['Harbour <not an address>', undefined],
    ['Harbour\r\nBcc: x <portal@harbour.example>', undefined],
    ['Harbour', undefined],
    ['', undefined],
  ])('%j is read as %j', (text, sender) => {
    expect(senderOf(text)).toEqual(sender);
  });
});
