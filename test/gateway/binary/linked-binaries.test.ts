import { attachmentUrls, linkingTypes, placeOf } from '../../../src/gateway/domain/binary/linked-binaries.js';

test('documents are linked by three types', () => {
  expect(linkingTypes).toEqual(['DocumentReference', 'DiagnosticReport', 'Media']);
});

test.each([
  [
    { resourceType: 'DocumentReference', content: [{ attachment: { url: 'a' } }, { attachment: { url: 'b' } }] },
    ['a', 'b'],
  ],
  [{ resourceType: 'DocumentReference', content: { attachment: { url: 'a' } } }, ['a']],
  [{ resourceType: 'DocumentReference', content: [null, 'x', { attachment: null }, { attachment: { url: 1 } }] }, []],
  [{ resourceType: 'DocumentReference', content: { url: 'a' }, presentedForm: [{ url: 'a' }] }, []],
  [{ resourceType: 'DiagnosticReport', presentedForm: [{ url: 'a' }, { title: 'b' }] }, ['a']],
  [{ resourceType: 'Media', content: { url: 'a' } }, ['a']],
  [{ resourceType: 'Patient', photo: [{ url: 'a' }] }, []],
  [{ resourceType: 'constructor', content: { url: 'a' } }, []],
  [{ content: { url: 'a' } }, []],
  [null, []],
])('the attachments of %j are at %j', (resource, expected) => {
  expect(attachmentUrls(resource)).toEqual(expected);
});

test.each([
  ['Binary/b1', { type: 'Binary', id: 'b1', version: undefined }],
  ['Binary/b.1/_history/2', { type: 'Binary', id: 'b.1', version: '2' }],
  ['/Binary/b1', undefined],
  ['Binary/b1/', undefined],
  ['Binary/', undefined],
  ['binary/b1', undefined],
  ['Binary/b1/_history', undefined],
  ['Binary/b1?x=1', undefined],
  ['http://server/Binary/b1', undefined],
])('%s is the place %j', (reference, expected) => {
  expect(placeOf(reference)).toEqual(expected);
});
