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
    ['offline_access', 'Stay connected', 'Keep this access when you are not using the app, until you revoke it'],
    ['patient/Observation.rs', 'Test results and observations', 'See your test results and observations'],
    ['patient/Observation.read', 'Test results and observations', 'See your test results and observations'],
    [`patient/Observation.rs?category=${laboratory}`, 'Laboratory', 'See your laboratory results'],
    ['patient/Observation.rs?category=laboratory', 'Laboratory', 'See your laboratory results'],
    ['patient/MedicationRequest.rs', 'Medication', 'See your prescriptions'],
    ['patient/Appointment.cruds', 'Appointments', 'See, book, change and cancel your appointments'],
    ['user/Condition.cu', 'Conditions', 'Add and change the conditions and diagnoses that you have access to'],
    ['system/*.rs', 'Health record', 'See the health record of everybody'],
    ['patient/NutritionOrder.rs', 'Nutrition order', 'See your NutritionOrder records'],
    [
      'patient/Observation.rs?code=http://loinc.org|8867-4',
      'Test results and observations (selected)',
      'See your test results and observations, only code http://loinc.org|8867-4',
    ],
    ['system/*.$export', 'Operation export', 'Run “export” on the server'],
    ['user/Patient.$everything', 'Operation everything', 'Run “everything” on personal and contact details'],
    ['user/ValueSet.$expand', 'Operation expand', 'Run “expand” on ValueSet records'],
    ['patient/Goal.d', 'Goals', 'Delete your health goals'],
    [
      'patient/Observation.rs?category=laboratory&status=final',
      'Test results and observations (selected)',
      'See your test results and observations, only category laboratory, status final',
    ],
    [
      'patient/Observation.rs?code=laboratory',
      'Test results and observations (selected)',
      'See your test results and observations, only code laboratory',
    ],
    ['launch/patient', 'Choice of patient', 'Know which patient the app is opened for'],
    ['launch/questionnaire', 'Choice of questionnaire', 'Know what the app is opened for'],
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
    ['NutritionOrder', 'Nutrition order'],
    ['Goal/laboratory', 'Goals (selected)'],
  ])('of %s is %s', (kind, name) => {
    expect(describeKind(kind)).toBe(name);
  });

  test('is in the words of the reader', () => {
    expect(describeKind('Observation', (place) => `<${place}>`)).toBe('<types.Observation.name>');
    expect(describeKind('Observation/survey', (place) => `<${place}>`)).toBe('<categories.survey.name>');
  });
});

describe('the access of a scope', () => {
  test.each([
    ['patient/Goal.r', 'See your health goals'],
    ['patient/Goal.s', 'See your health goals'],
    ['patient/Goal.c', 'Add your health goals'],
    ['patient/Goal.u', 'Change your health goals'],
    ['patient/Goal.cu', 'Add and change your health goals'],
    ['patient/Goal.cud', 'Add, change and delete your health goals'],
    ['patient/Appointment.c', 'Book your appointments'],
    ['patient/Appointment.u', 'Change your appointments'],
    ['patient/Appointment.d', 'Cancel your appointments'],
  ])('%s is said as %s', (text, description) => {
    expect(describeScope(text).description).toBe(description);
  });
});
