import * as claims from '../../../../src/contract/rules/claims.js';
import { clientSections } from '../../../../src/contract/rules/client-fields.js';
import * as clientForm from '../../../../src/contract/rules/client-form.js';
import * as clientSecrets from '../../../../src/contract/rules/client-secrets.js';
import * as jwk from '../../../../src/contract/rules/jwk.js';
import * as lifetime from '../../../../src/contract/rules/lifetime.js';
import { describeDuration } from '../../../../src/contract/rules/lifetime.js';
import { describeScope } from '../../../../src/contract/rules/scope-description.js';
import { tooLong } from '../../../../src/contract/rules/text.js';
import { unsecuredUrl } from '../../../../src/contract/rules/web-address.js';
import { messages as english } from './en/messages.js';
import { i18n } from './i18n.js';
import { wantedLanguages } from './language.js';
import { translateMessage, translateScope } from './messages.js';

const german = {
  said: {
    fieldRequired: 'Bitte ausfüllen',
    tooLong: 'Höchstens {{maximum}} Zeichen',
    accessTokenLong: '{{duration}} sind mehr als eine Stunde.',
    fhirUserId: 'Die Kennung ({{type}}) fehlt.',
  },
  scopes: {
    fixed: { openid: { name: 'Ihre Anmeldung' } },
    types: { Observation: { name: 'Befunde', noun: 'Befunde' } },
    verbs: { see: 'lesen', c: 'anlegen' },
    and: '{{some}} und {{last}}',
    whose: { patient: 'Ihre {{what}} {{verbs}}' },
  },
};

describe('in another language', () => {
  beforeAll(async () => {
    i18n.addResourceBundle('de', 'translation', german);
    await i18n.changeLanguage('de');
  });
  afterAll(() => i18n.changeLanguage('en'));

  it('what a rule says is found by its words', () => {
    expect(translateMessage('Field is required')).toBe('Bitte ausfüllen');
    expect(translateMessage(tooLong(20))).toBe('Höchstens 20 Zeichen');
    expect(translateMessage(claims.fhirUserProblem('Patient/', 'Patient') ?? '')).toBe('Die Kennung (Patient) fehlt.');
    expect(translateMessage(describeScope('openid').displayName)).toBe('Ihre Anmeldung');
    expect(translateMessage(describeDuration(93_600))).toBe('1 Tag 2 Stunden');
    const warning = 'Warning: Access token lifetime set to 1 day 2 hours, but should be no more than 1 hour.';
    expect(translateMessage(warning)).toBe('1 Tag 2 Stunden sind mehr als eine Stunde.');
  });

  it('what is missing is English, and what nobody knows stays as it is', () => {
    expect(translateMessage('Field should not be empty.')).toBe('Field should not be empty.');
    expect(translateMessage('Nobody says this (ever).')).toBe('Nobody says this (ever).');
  });

  it('scopes are put together in the order of that language', () => {
    expect(translateScope('patient/Observation.crs')).toEqual({
      displayName: 'Befunde',
      description: 'Ihre Befunde Lesen und anlegen',
    });
    expect(translateScope('patient/Goal.rs').displayName).toBe('Goals');
  });
});

describe('what the rules of the client form say', () => {
  const texts = [claims, clientForm, clientSecrets, jwk, lifetime].flatMap((rules) => Object.values(rules));
  const known = [english, english.clientSections].flatMap((part) => Object.values(part));
  // Neither can be provoked in the form, which forces what they are about.
  const callsOnly: unknown[] = [
    clientForm.noManagementForBackend,
    clientForm.managementNeedsAccess,
    clientForm.followsFromType,
    clientSecrets.secretUnchangeable,
  ];
  it.each(
    [...texts, ...clientSections, unsecuredUrl].filter((text) => typeof text === 'string' && !callsOnly.includes(text)),
  )('can be said in another language: %s', (text) => expect(known).toContain(text));
});

describe('the languages that are wanted', () => {
  it.each<[string, string[], string[]]>([
    ['?returnUrl=%2F&ui_locales=fr-CA+fr', ['de'], ['fr-CA', 'fr', 'de']],
    ['?ui_locales=', ['de', 'en'], ['de', 'en']],
    ['', [], []],
  ])('%j with %j in the browser', (search, browser, wanted) => {
    expect(wantedLanguages(search, browser)).toEqual(wanted);
  });
});
