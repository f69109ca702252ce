import { createHash } from 'node:crypto';
import { Agreement } from '../../src/disclaimers/domain/agreement.js';
import { Disclaimer, versionOf } from '../../src/disclaimers/domain/disclaimer.js';

type State = ConstructorParameters<typeof Disclaimer>[0];

const written: State = {
  id: 'portal-use',
  description: 'Use of this portal',
  source: '<p>Be careful.</p>',
  html: '<p>Be careful.</p>',
  tenantId: null,
  clients: [],
  everyLogin: false,
};

const disclaimer = (changed: Partial<State> = {}) => new Disclaimer({ ...written, ...changed });

const agreedTo = (what: Disclaimer, clientId = 'app') =>
  Agreement.give({ accountId: 'a', disclaimer: what, clientId, signIn: 'first', now: new Date(0) });

describe('A disclaimer applies', () => {
  it.each([
    ['to all apps', {}, { clientId: 'app', tenantId: null }, true],
    ['to this app', { clients: ['other', 'app'] }, { clientId: 'app', tenantId: null }, true],
    ['not to another app', { clients: ['other'] }, { clientId: 'app', tenantId: null }, false],
    ['at this tenant', { tenantId: 'north' }, { clientId: 'app', tenantId: 'north' }, true],
    ['not at another tenant', { tenantId: 'south' }, { clientId: 'app', tenantId: 'north' }, false],
    [
      'not where there are no tenants, if it is for one',
      { tenantId: 'south' },
      { clientId: 'app', tenantId: null },
      false,
    ],
  ])('%s', (_, changed, destination, due) => {
    expect(disclaimer(changed).isFor(destination)).toBe(due);
  });
});

describe('L-03 An agreement to a disclaimer', () => {
  it.each([
    ['as it was', {}, true],
    ['shown differently after an update of the product', { html: '<p>Be <b>careful</b>.</p>' }, true],
    ['with another text', { source: '<p>Be very careful.</p>' }, false],
    ['with another description', { description: 'The portal' }, false],
    ['with another id', { id: 'portal' }, false],
    ['of a tenant only', { tenantId: 'north' }, false],
    ['of some apps only', { clients: ['app'] }, false],
    ['of every sign-in, in the same', { everyLogin: true }, true],
  ])('%s: %s %p', (_, changed, answered) => {
    expect(agreedTo(disclaimer()).isSufficientFor(disclaimer(changed), 'app', 'first')).toBe(answered);
  });

  it('for every sign-in does not count for the next one', () => {
    const each = disclaimer({ everyLogin: true });
    expect(agreedTo(each).isSufficientFor(each, 'app', 'second')).toBe(false);
    expect(agreedTo(disclaimer()).isSufficientFor(disclaimer(), 'app', 'second')).toBe(true);
  });

  it('for one of two apps does not count for the other', () => {
    const ofTwo = disclaimer({ clients: ['app', 'other'] });
    expect(agreedTo(ofTwo).isSufficientFor(ofTwo, 'app', 'first')).toBe(true);
    expect(agreedTo(ofTwo).isSufficientFor(ofTwo, 'other', 'first')).toBe(false);
  });
});

describe('A disclaimer is the subject of an agreement', () => {
  const subject = { tenantId: null, clientId: null, disclaimerId: 'portal-use' };
  it.each([
    ['of its id', {}, {}, true],
    ['not of another id', {}, { disclaimerId: 'other' }, false],
    ['not of another tenant', {}, { tenantId: 'north' }, false],
    ['of its tenant', { tenantId: 'north' }, { tenantId: 'north' }, true],
    ['not of an app, where it is for all', {}, { clientId: 'app' }, false],
    ['of an app that it is for', { clients: ['app'] }, { clientId: 'app' }, true],
    ['not of all apps, where it is for some', { clients: ['app'] }, {}, false],
    ['not of an app that it is no longer for', { clients: ['app'] }, { clientId: 'other' }, false],
  ])('%s', (_, changed, about, isMeant) => {
    expect(disclaimer(changed).isSubjectOf({ ...subject, ...about })).toBe(isMeant);
  });
});

describe('The version of several disclaimers', () => {
  const one = disclaimer({ id: 'one' });
  const two = disclaimer({ id: 'two' });

  it('is the same in any order, and not the empty text for none', () => {
    expect(versionOf([one, two])).toBe(versionOf([two, one]));
    expect(versionOf([])).toBe('');
  });

  it('stays the same between versions of the product: it is stored with each decision', () => {
    const lines = [one, two].map(({ id, textHash }) => `${id} ${textHash}`).toSorted();
    expect(versionOf([one, two])).toBe(createHash('sha256').update(lines.join('\n')).digest('base64url'));
  });

  it('changes when one is added, removed or reworded', () => {
    const reworded = disclaimer({ id: 'two', source: '<p>Otherwise.</p>' });
    expect(new Set([[one], [one, two], [two], [one, reworded]].map(versionOf)).size).toBe(4);
  });
});
