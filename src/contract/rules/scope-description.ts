/**
 * Scopes in plain words, for consent and grants (`spec §2`); the technical scope stays one click away.
 */
import type { SmartSubject } from './client-values.js';
import { type OperationScope, parseScope, printScope, type ResourceScope } from './smart-scope.js';

export interface ScopeDescription {
  displayName: string;
  description: string;
}

interface Category {
  code: string;
  system: string;
  displayName: string;
  /** What is seen, after "your" or "all". */
  noun: string;
}

interface ResourceWords {
  displayName: string;
  noun: string;
  /** Where "add", "change" and "delete" would sound odd. */
  verbs?: Partial<Record<'c' | 'u' | 'd', string>>;
}

const conditionCategory = 'http://terminology.hl7.org/CodeSystem/condition-category';
const observationCategory = 'http://terminology.hl7.org/CodeSystem/observation-category';
const usCoreCondition = 'http://hl7.org/fhir/us/core/CodeSystem/condition-category';
const usCore = 'http://hl7.org/fhir/us/core/CodeSystem/us-core-category';

/** The categories US Core asks an authorization server to offer separately. */
const categories: Readonly<Record<string, readonly Category[]>> = {
  Condition: [
    {
      code: 'problem-list-item',
      system: conditionCategory,
      displayName: 'Problem list',
      noun: 'long-term health problems',
    },
    {
      code: 'encounter-diagnosis',
      system: conditionCategory,
      displayName: 'Diagnoses from visits',
      noun: 'diagnoses from visits',
    },
    { code: 'health-concern', system: usCoreCondition, displayName: 'Health concerns', noun: 'health concerns' },
  ],
  Observation: [
    { code: 'laboratory', system: observationCategory, displayName: 'Laboratory', noun: 'laboratory results' },
    {
      code: 'vital-signs',
      system: observationCategory,
      displayName: 'Vital signs',
      noun: 'blood pressure, pulse and weight',
    },
    {
      code: 'social-history',
      system: observationCategory,
      displayName: 'Social history',
      noun: 'notes on smoking, alcohol and work',
    },
    { code: 'survey', system: observationCategory, displayName: 'Survey', noun: 'answers to questionnaires' },
    {
      code: 'sdoh',
      system: usCore,
      displayName: 'Living conditions',
      noun: 'notes on housing, food and other living conditions',
    },
    {
      code: 'procedure',
      system: observationCategory,
      displayName: 'Clinical tests',
      noun: 'results of clinical tests',
    },
  ],
};

const resources: Readonly<Record<string, ResourceWords>> = {
  '*': { displayName: 'Health record', noun: 'health record' },
  AllergyIntolerance: { displayName: 'Allergies', noun: 'allergies and intolerances' },
  Appointment: { displayName: 'Appointments', noun: 'appointments', verbs: { c: 'book', d: 'cancel' } },
  CarePlan: { displayName: 'Care plans', noun: 'care plans' },
  CareTeam: { displayName: 'Care team', noun: 'care team' },
  Claim: { displayName: 'Bills', noun: 'bills sent to insurers' },
  Condition: { displayName: 'Conditions', noun: 'conditions and diagnoses' },
  Consent: { displayName: 'Consents', noun: 'consents' },
  Coverage: { displayName: 'Insurance', noun: 'insurance' },
  Device: { displayName: 'Devices', noun: 'medical devices and implants' },
  DiagnosticReport: { displayName: 'Reports', noun: 'diagnostic reports' },
  DocumentReference: { displayName: 'Documents', noun: 'documents and notes' },
  Encounter: { displayName: 'Visits', noun: 'visits and hospital stays' },
  ExplanationOfBenefit: { displayName: 'Insurance statements', noun: 'insurance statements' },
  FamilyMemberHistory: { displayName: 'Family history', noun: 'family history' },
  Goal: { displayName: 'Goals', noun: 'health goals' },
  Immunization: { displayName: 'Vaccinations', noun: 'vaccinations' },
  Location: { displayName: 'Places of care', noun: 'places of care' },
  Medication: { displayName: 'Medication details', noun: 'details of medicines' },
  MedicationAdministration: { displayName: 'Medication given', noun: 'medicines that were given' },
  MedicationDispense: { displayName: 'Medication handed out', noun: 'medicines that were handed out' },
  MedicationRequest: { displayName: 'Medication', noun: 'prescriptions' },
  MedicationStatement: { displayName: 'Medication in use', noun: 'medicines in use' },
  Observation: { displayName: 'Test results and observations', noun: 'test results and observations' },
  Organization: { displayName: 'Organizations', noun: 'organizations of care' },
  Patient: { displayName: 'Personal details', noun: 'personal and contact details' },
  Practitioner: { displayName: 'Practitioners', noun: 'doctors and other practitioners' },
  Procedure: { displayName: 'Procedures', noun: 'procedures and operations' },
  Provenance: { displayName: 'Record history', noun: 'notes on where the data comes from' },
  Questionnaire: { displayName: 'Questionnaires', noun: 'questionnaires' },
  QuestionnaireResponse: { displayName: 'Answers to questionnaires', noun: 'answers to questionnaires' },
  RelatedPerson: { displayName: 'Relatives and contacts', noun: 'relatives and contacts' },
  ServiceRequest: { displayName: 'Orders and referrals', noun: 'orders and referrals' },
  Specimen: { displayName: 'Samples', noun: 'samples' },
  Task: { displayName: 'Tasks', noun: 'tasks' },
};

/** A map, because any text may be looked up here, also `constructor`. */
const fixed = new Map<string, ScopeDescription>(
  Object.entries({
    openid: { displayName: 'Your sign-in identifier', description: 'So the app can recognize you' },
    profile: { displayName: 'Your profile', description: 'Your name' },
    fhirUser: { displayName: 'Your health record', description: 'The link to your health record' },
    offline_access: {
      displayName: 'Stay connected',
      description: 'Keep this access when you are not using the app, until you revoke it',
    },
    online_access: {
      displayName: 'Stay connected while signed in',
      description: 'Keep this access for as long as you are signed in',
    },
    launch: { displayName: 'What you were working on', description: 'Know from where the app was opened' },
    'launch/patient': { displayName: 'Choice of patient', description: 'Know which patient the app is opened for' },
    'launch/encounter': { displayName: 'Choice of visit', description: 'Know which visit the app is opened for' },
  }),
);

const subjects: Readonly<Record<SmartSubject, (seen: string) => string>> = {
  patient: (noun) => `your ${noun}`,
  user: (noun) => `the ${noun} that you have access to`,
  system: (noun) => `the ${noun} of everybody`,
};

/** What a scope lets an app do. A scope nobody has words for stands for itself. */
export function describeScope(text: string): ScopeDescription {
  const scope = parseScope(text);
  switch (scope?.kind) {
    case 'resource':
      return describeResource(scope);
    case 'operation':
      return describeOperation(scope);
    case 'launch':
      return (
        fixed.get(text) ?? { displayName: `Choice of ${scope.context}`, description: 'Know what the app is opened for' }
      );
    default:
      return fixed.get(text) ?? { displayName: text, description: 'Allowed for this app by the administrator' };
  }
}

/**
 * The narrower scopes a person may grant instead of this one: one for each category, in version 2, because version 1
 * has no query. Empty when the type has no categories or the scope is already narrowed.
 */
export function fineGrainedScopes(scope: ResourceScope): string[] {
  if (scope.query.length > 0) return [];
  return (categories[scope.type] ?? []).map(({ system, code }) =>
    printScope({ ...scope, version: 2, query: [['category', `${system}|${code}`]] }),
  );
}

function describeResource(scope: ResourceScope): ScopeDescription {
  const words = resources[scope.type] ?? { displayName: spaced(scope.type), noun: `${scope.type} records` };
  const category = onlyCategory(scope);
  const noun = category?.noun ?? words.noun;
  const limited = scope.query.length > 0 && !category;
  const conditions = scope.query.map(([name, value]) => `${name} ${value}`).join(', ');
  return {
    displayName: category?.displayName ?? (limited ? `${words.displayName} (selected)` : words.displayName),
    description: `${verbs(scope.actions, words)} ${subjects[scope.subject](noun)}${limited ? `, only ${conditions}` : ''}`,
  };
}

function describeOperation(scope: OperationScope): ScopeDescription {
  const target = scope.type === '*' ? 'the server' : (resources[scope.type]?.noun ?? `${scope.type} records`);
  return { displayName: `Operation ${scope.operation}`, description: `Run “${scope.operation}” on ${target}` };
}

/** The category a scope is limited to, when that is its only condition; a bare code is understood as well. */
function onlyCategory(scope: ResourceScope): Category | undefined {
  const [first] = scope.query;
  if (scope.query.length !== 1 || first?.[0] !== 'category') return undefined;
  return categories[scope.type]?.find(({ system, code }) => first[1] === code || first[1] === `${system}|${code}`);
}

/** 'rs' → "See"; 'cruds' → "See, add, change and delete". Reading one and searching many are one thing to a person. */
function verbs(actions: string, words: ResourceWords): string {
  const all = [
    ...(/[rs]/.test(actions) ? ['see'] : []),
    ...(actions.includes('c') ? [words.verbs?.c ?? 'add'] : []),
    ...(actions.includes('u') ? [words.verbs?.u ?? 'change'] : []),
    ...(actions.includes('d') ? [words.verbs?.d ?? 'delete'] : []),
  ];
  const last = all.pop() ?? '';
  const text = all.length > 0 ? `${all.join(', ')} and ${last}` : last;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** 'NutritionOrder' → 'Nutrition order'. */
function spaced(type: string): string {
  const text = type.replace(/(?<=[a-z])([A-Z])/g, ' $1').toLowerCase();
  return text.charAt(0).toUpperCase() + text.slice(1);
}
