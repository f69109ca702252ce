import {
  describeKind,
  describeScope,
  dividedScopes,
  fineGrainedScopes,
} from '../../src/contract/rules/scopes/scope-description.js';
import { covers, parseScope } from '../../src/contract/rules/scopes/smart-scope.js';

const laboratory = 'http://terminology.hl7.org/CodeSystem/observation-category|laboratory';

function fineGrained(text: string): string[] {
  const scope = parseScope(text);
  if (scope?.kind !== 'resource') throw new Error(`not a resource scope: ${text}`);
  return fineGrainedScopes(scope);
}

describe('the description of a scope', () => {
  test.each([
    ['openid', 'Your sign-in identifier', 'So the app can recognize you'],
    ['offline_access', 'Stay connected', 'Keep this access when you are not using the app, until you take it back'],
    [
      'patient/Observation.rs',
      'Test results and observations',
      'Your data: Test results and observations. Allowed: see.',
    ],
    [
      'patient/Observation.read',
      'Test results and observations',
      'Your data: Test results and observations. Allowed: see.',
    ],
    [`patient/Observation.rs?category=${laboratory}`, 'Laboratory', 'Your data: Laboratory results. Allowed: see.'],
    ['patient/Observation.rs?category=laboratory', 'Laboratory', 'Your data: Laboratory results. Allowed: see.'],
    ['patient/MedicationRequest.rs', 'Medication', 'Your data: Prescriptions. Allowed: see.'],
    ['patient/Appointment.cruds', 'Appointments', 'Your data: Appointments. Allowed: see, book, change, cancel.'],
    [
      'user/Condition.cu',
      'Conditions',
      'Data that you have access to: Conditions and diagnoses. Allowed: add, change.',
    ],
    ['system/*.rs', 'Health record', 'Data of all patients: Health record. Allowed: see.'],
    ['patient/NutritionOrder.rs', 'Nutrition Order', 'Your data: Records of type NutritionOrder. Allowed: see.'],
    [
      'patient/Observation.rs?code=http://loinc.org|8867-4',
      'Test results and observations (selected)',
      'Your data: Test results and observations. Allowed: see. Only: code http://loinc.org|8867-4',
    ],
    ['system/*.$export', 'Technical function: export', 'For the whole server'],
    ['user/Patient.$everything', 'Technical function: everything', 'Data: Personal and contact details'],
    ['user/ValueSet.$expand', 'Technical function: expand', 'Data: Records of type ValueSet'],
    ['patient/Goal.d', 'Goals', 'Your data: Health goals. Allowed: delete.'],
    [
      'patient/Observation.rs?category=laboratory&status=final',
      'Test results and observations (selected)',
      'Your data: Test results and observations. Allowed: see. Only: category laboratory, status final',
    ],
    [
      'patient/Observation.rs?code=laboratory',
      'Test results and observations (selected)',
      'Your data: Test results and observations. Allowed: see. Only: code laboratory',
    ],
    ['launch/patient', 'Choice of patient', 'Know which patient the app is opened for'],
    ['launch/questionnaire', 'Choice for the app: questionnaire', 'Know what the app is opened for'],
    ['constructor', 'constructor', 'Allowed for this app by the administrator'],
    ['__vendor', '__vendor', 'Allowed for this app by the administrator'],
  ])('%s', (text, displayName, description) => {
    expect(describeScope(text)).toEqual({ displayName, description });
  });
});

describe('the narrower scopes on the consent page', () => {
  test('are the US Core categories of observations and conditions', () => {
    expect(fineGrained('patient/Observation.rs').map((text) => describeScope(text).displayName)).toEqual([
      'Laboratory',
      'Vital signs',
      'Social history',
      'Survey',
      'Living conditions',
      'Clinical tests',
    ]);
    const [clinical, usCore] = ['http://terminology.hl7.org/CodeSystem', 'http://hl7.org/fhir/us/core/CodeSystem'];
    expect(fineGrained('patient/Condition.rs')).toEqual([
      `patient/Condition.rs?category=${clinical}/condition-category|problem-list-item`,
      `patient/Condition.rs?category=${clinical}/condition-category|encounter-diagnosis`,
      `patient/Condition.rs?category=${usCore}/condition-category|health-concern`,
    ]);
    expect(fineGrained('patient/Observation.rs')).toEqual([
      `patient/Observation.rs?category=${clinical}/observation-category|laboratory`,
      `patient/Observation.rs?category=${clinical}/observation-category|vital-signs`,
      `patient/Observation.rs?category=${clinical}/observation-category|social-history`,
      `patient/Observation.rs?category=${clinical}/observation-category|survey`,
      `patient/Observation.rs?category=${usCore}/us-core-category|sdoh`,
      `patient/Observation.rs?category=${clinical}/observation-category|procedure`,
    ]);
  });

  test('are each covered by their parent scope, also one of version 1', () => {
    for (const text of ['user/Observation.cruds', 'user/Observation.read']) {
      for (const finer of fineGrained(text)) {
        const [parent, child] = [parseScope(text), parseScope(finer)];
        expect(child).toMatchObject({ version: 2 });
        expect(parent && child && covers(parent, child)).toBe(true);
      }
    }
  });

  test('do not exist for types without categories and for narrowed scopes', () => {
    expect(fineGrained('patient/Patient.rs')).toEqual([]);
    expect(fineGrained('patient/*.rs')).toEqual([]);
    expect(fineGrained('patient/Observation.rs?category=survey')).toEqual([]);
  });
});

describe('the scopes to see and to change apart', () => {
  const divided = (text: string): string[] => {
    const scope = parseScope(text);
    if (scope?.kind !== 'resource') throw new Error(`not a resource scope: ${text}`);
    return dividedScopes(scope);
  };

  test.each<[string, string[]]>([
    ['patient/Goal.cruds', ['patient/Goal.rs', 'patient/Goal.cud']],
    ['patient/Goal.cr', ['patient/Goal.r', 'patient/Goal.c']],
    ['user/*.us', ['user/*.s', 'user/*.u']],
    ['patient/Goal.*', ['patient/Goal.read', 'patient/Goal.write']],
    ['patient/Goal.rd?status=final', ['patient/Goal.r?status=final', 'patient/Goal.d?status=final']],
    ['patient/Goal.rs', []],
    ['patient/Goal.read', []],
    ['patient/Goal.cud', []],
    ['patient/Goal.write', []],
  ])('of %s are %j', (text, parts) => {
    expect(divided(text)).toEqual(parts);
  });
});

describe('the name of a kind of data', () => {
  test.each([
    ['Observation', 'Test results and observations'],
    ['Observation/laboratory', 'Laboratory'],
    ['Goal', 'Goals'],
    ['*', 'Health record'],
    ['NutritionOrder', 'Nutrition Order'],
    ['Goal/laboratory', 'Goals (selected)'],
  ])('of %s is %s', (kind, name) => {
    expect(describeKind(kind)).toBe(name);
  });

  test('is in the words of the reader', () => {
    const say = Object.assign((place: string) => `<${place}>`, { language: 'de' });
    expect(describeKind('Observation', say)).toBe('<types.Observation.name>');
    expect(describeKind('Observation/survey', say)).toBe('<categories.survey.name>');
  });
});

describe('the access of a scope', () => {
  test.each([
    ['patient/Goal.r', 'Your data: Health goals. Allowed: see.'],
    ['patient/Goal.s', 'Your data: Health goals. Allowed: see.'],
    ['patient/Goal.c', 'Your data: Health goals. Allowed: add.'],
    ['patient/Goal.u', 'Your data: Health goals. Allowed: change.'],
    ['patient/Goal.cu', 'Your data: Health goals. Allowed: add, change.'],
    ['patient/Goal.cud', 'Your data: Health goals. Allowed: add, change, delete.'],
    ['patient/Appointment.c', 'Your data: Appointments. Allowed: book.'],
    ['patient/Appointment.u', 'Your data: Appointments. Allowed: change.'],
    ['patient/Appointment.d', 'Your data: Appointments. Allowed: cancel.'],
  ])('%s is said as %s', (text, description) => {
    expect(describeScope(text).description).toBe(description);
  });
});
