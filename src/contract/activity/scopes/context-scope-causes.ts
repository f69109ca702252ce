import type { Cause } from '../cause.js';

const dropped = { stage: 'scopes', severity: 'notice', title: '{{scope}} was dropped', apart: ['scope'] } as const;

/** Scopes that need a record, a patient or a resource in context, or what a representative may grant. */
export const contextScopeCauses = {
  'scope-no-record': {
    ...dropped,
    text: 'The account has no record on the FHIR server.',
    decidedBy: 'The account has no FHIR record',
    developer: 'The scope {{scope}} needs an account with a record on the FHIR server.',
    change: {
      text: 'Link the account to its FHIR record under Users; if it only acts for others, have the app ask for a patient.',
    },
  },
  'scope-no-related-person': {
    ...dropped,
    text: 'The FHIR server has no RelatedPerson of the user for this patient, and no Person of the user.',
    decidedBy: 'The user is no RelatedPerson of the patient on the FHIR server',
    developer: 'The scope {{scope}} needs a RelatedPerson of the user for this patient on the FHIR server.',
    change: {
      text: 'Add a RelatedPerson of the patient to the FHIR server, and name it in the references of the user.',
    },
  },
  'scope-of-person': {
    ...dropped,
    text: 'In a trial the user is the administrator, who has no record on the FHIR server. A user with a record keeps this scope.',
    decidedBy: 'The administrator has no FHIR record',
    developer:
      'An administrator tried the app, without a user who has a record. A user with a record keeps the scope {{scope}}.',
  },
  'scope-no-test-patient': {
    ...dropped,
    text: 'The trial was started without a test patient.',
    decidedBy: 'The trial has no patient',
    developer: 'An administrator tried the app without a patient. A launch for a patient keeps the scope {{scope}}.',
    change: {
      text: 'Name a test patient in fhir.testPatients, and choose it for the trial.',
      configuration: 'fhir.testPatients',
    },
  },
  'scope-no-patient': {
    ...dropped,
    text: 'There is no patient in context, and the account was offered none.',
    decidedBy: 'No patient is in context',
    developer: 'The scope {{scope}} needs a patient in context, and this account has none.',
    change: {
      text: 'Compare the type of the account with its FHIR record: that of a patient is a Patient, and other users choose a patient.',
    },
  },
  'scope-acting-user': {
    ...dropped,
    text: 'The user acts for a patient. Scopes of user/ are about the user’s own record.',
    decidedBy: 'The user acts for a patient',
    developer: 'The user acts for a patient: the scope {{scope}} is about the user’s own record.',
    change: { text: 'Have the app request patient/ scopes as well.' },
  },
  'scope-level': {
    ...dropped,
    text: 'The level at which the user acts for the patient leaves it out, or other kinds of it were chosen.',
    decidedBy: 'The level of the representative leaves it out',
    developer: 'The user acts for a patient, at a level that leaves {{scope}} out.',
    change: {
      text: 'Add the kind to the level. Where single kinds were chosen, the patient adds one, or an administrator on a request.',
      configuration: 'representation.levels',
    },
  },
  'scope-level-change': {
    ...dropped,
    title: 'Changes by {{scope}} were dropped',
    text: 'The level at which the user acts for the patient does not permit them. Kinds that were chosen one by one may only be seen.',
    decidedBy: 'The level of the representative does not permit the changes',
    developer: 'The user acts for a patient, at a level that does not permit the changes of {{scope}}.',
    change: { text: 'Add the kind to what the level may change.', configuration: 'representation.levels' },
  },
  'scope-level-narrowed': {
    ...dropped,
    title: '{{scope}} was narrowed',
    text: 'Kept private by the level at which the user acts for the patient: {{kinds}}.',
    decidedBy: 'The level of the representative leaves kinds out',
    developer: 'The user acts for a patient, at a level that leaves these kinds of {{scope}} out: {{kinds}}.',
    change: {
      text: 'Add the kinds to the level. Where single kinds were chosen, the patient adds some, or an administrator on a request.',
      configuration: 'representation.levels',
    },
  },
  'scope-patient-skipped': {
    ...dropped,
    text: 'There is no patient in context: the user chose none.',
    decidedBy: 'The user chose no patient',
    developer: 'The scope {{scope}} needs a patient in context, and the user chose none.',
    change: { text: 'Have the user choose a patient. An app that can do without one needs no launch/patient.' },
  },
  'scope-patient-withdrawn': {
    ...dropped,
    text: 'There is no patient in context: the user may not act any more for the patient who was chosen.',
    decidedBy: 'The user may not act for the chosen patient any more',
    developer: 'The scope {{scope}} needs a patient in context, and the user may not open the chosen one any more.',
    change: { text: 'See the relationship at the user, and the age rules of its basis.', page: 'user' },
  },
  'scope-choice-skipped': {
    ...dropped,
    text: 'There is no such resource in context: {{type}}. The user chose none.',
    decidedBy: 'The user chose none',
    developer: 'The scope {{scope}} needs a resource in context, and the user chose none: {{type}}.',
    change: { text: 'Have the user choose one: {{type}}.' },
  },
  'scope-not-launched': {
    ...dropped,
    text: 'No EHR launched the app.',
    decidedBy: 'The launch parameter is missing',
    developer: 'The scope launch is for EHR launches, and you sent no launch. Request launch/patient instead.',
    change: { text: 'Have the app send the launch that the EHR gave it, or request launch/patient.' },
  },
  'scope-no-context': {
    ...dropped,
    text: 'There is no such resource in context: {{type}}.',
    decidedBy: 'The launch context is missing',
    developer: 'The scope {{scope}} needs a resource in context that is not there: {{type}}.',
    change: {
      text: 'Have the EHR announce it, or let people choose it by fhir.launchContext.',
      configuration: 'fhir.launchContext',
    },
  },
} as const satisfies Record<string, Cause>;
