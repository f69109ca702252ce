import { message } from '../../../../src/contract/messages/message.js';
import { describeScope } from '../../../../src/contract/rules/scopes/scope-description.js';
import { fieldRequired, tooLong } from '../../../../src/contract/rules/text.js';
import * as claims from '../../../../src/contract/rules/users/claims.js';
import { translateScope } from '../scopes/scope-texts.js';
import { i18n } from './i18n.js';
import { exactDuration, wantedLanguages } from './language.js';
import { translateAnswer, translateMessage, translateProblems } from './messages.js';

const german = {
  messages: {
    'field-required': 'Bitte ausfüllen',
    'too-long': 'Höchstens {{maximum}} Zeichen',
    'access-token-long': '{{duration}} sind mehr als eine Stunde.',
    'fhir-user-id': 'Die Kennung ({{type}}) fehlt.',
    'key-set-status': 'Status {{status}}!',
  },
  scopes: {
    fixed: { openid: { name: 'Ihre Anmeldung' } },
    types: { Observation: { name: 'Befunde', noun: 'Befunde' } },
    verbs: { see: 'lesen', c: 'anlegen' },
    and: '{{some}} und {{last}}',
    whose: { patient: 'Ihre {{what}} {{verbs}}' },
  },
};

describe('another language', () => {
  beforeAll(async () => {
    i18n.addResourceBundle('de', 'translation', german);
    await i18n.changeLanguage('de');
  });
  afterAll(() => i18n.changeLanguage('en'));

  it('translates a message of a rule by its code, with its parameters', () => {
    expect(translateMessage(fieldRequired)).toBe('Bitte ausfüllen');
    expect(translateMessage(tooLong(20))).toBe('Höchstens 20 Zeichen');
    expect(translateProblems([{ field: 'name', messages: [tooLong(20)] }])).toEqual([
      { field: 'name', messages: ['Höchstens 20 Zeichen'] },
    ]);
    expect(claims.fhirUserProblem('Patient/', 'Patient')).toEqual(message('fhir-user-id', { type: 'Patient' }));
    expect(translateMessage(message('fhir-user-id', { type: 'Patient' }))).toBe('Die Kennung (Patient) fehlt.');
    expect(translateScope('openid').displayName).toBe('Ihre Anmeldung');
  });

  it('translates a duration', () => {
    expect(exactDuration(93_600)).toBe('1 Tag, 2 Stunden');
    expect(translateMessage(message('access-token-long', { duration: 93_600 }))).toBe(
      '1 Tag, 2 Stunden sind mehr als eine Stunde.',
    );
  });

  it('translates a message of the server by its code, and never reads a value as a parameter', () => {
    expect(translateAnswer('The address answers with status 500.', message('key-set-status', { status: 500 }))).toBe(
      'Status 500!',
    );
    expect(translateMessage(message('fhir-user-id', { type: '{{type}} $t(messages.field-required)' }))).toBe(
      'Die Kennung ({{type}} $t(messages.field-required)) fehlt.',
    );
  });

  it('shows English for a message without a translation, also for one of a newer server', () => {
    expect(translateMessage(message('code-empty'))).toBe('Field should not be empty.');
    expect(translateAnswer('Please sign in.', message('sign-in-needed'))).toBe('Please sign in.');
    expect(translateAnswer('Something newer.', { code: 'newer' })).toBe('Something newer.');
    expect(translateAnswer('From a proxy.', undefined)).toBe('From a proxy.');
  });

  it('describes scopes in its own word order', () => {
    expect(translateScope('patient/Observation.crs')).toEqual({
      displayName: 'Befunde',
      description: 'Ihre Befunde lesen und anlegen',
    });
    expect(translateScope('patient/Goal.rs').displayName).toBe('Goals');
    expect(describeScope('openid').displayName).toBe('Your sign-in identifier');
  });
});

describe('the preferred languages', () => {
  it.each<[string, string[], string[]]>([
    ['?returnUrl=%2F&ui_locales=fr-CA+fr', ['de'], ['fr-CA', 'fr', 'de']],
    ['?ui_locales=', ['de', 'en'], ['de', 'en']],
    ['', [], []],
  ])('are chosen from ui_locales %j and the browser’s %j', (search, browser, wanted) => {
    expect(wantedLanguages(search, browser)).toEqual(wanted);
  });
});
