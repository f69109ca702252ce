import { addWords } from '../../../../shared/i18n/add-words.js';

const secretRotation = {
  title: 'Rotate secret',
  open: 'Rotate a secret',
  underWay: 'Rotation under way',
  underWayText: 'Two secrets work: {{old}} and {{new}}.',
  goOn: 'Continue',
  keys: 'The client rotates its keys itself: it publishes the new key, or you add it next to the old one.',
  step: 'Step {{number}} of 4 · {{name}}',
  steps: {
    make: 'Make a new secret',
    give: 'Give it to the app',
    see: 'See it work',
    end: 'End the old one',
  },
  texts: {
    make: 'The client gets a second secret. Both work until you end the old one.',
    give: "Put this secret into the app's configuration. It is shown only now.",
    see: 'The app signs in with the new secret as soon as its configuration has it.',
    end: 'The old secret no longer works then.',
  },
  replaces: 'Secret to replace',
  unnamed: 'Secret without a description',
  make: 'Make a new secret',
  secret: 'New secret',
  copy: 'Copy',
  safely: 'Hand it over safely, not by mail or chat.',
  notShown: 'The new secret was shown once, when it was made. If it was not stored, cancel and begin again.',
  meanwhile: 'Both secrets work meanwhile',
  oldEnds: 'Ends {{when}}, {{date}}',
  newEnds: 'New, until {{date}}',
  newStays: 'New, without an end',
  change: 'Change',
  endOfOld: 'End of {{name}}',
  stored: 'I have stored the new secret',
  waiting: 'Waiting for the first sign-in with {{name}}',
  seen: 'The app signed in with {{name}}',
  oldUsed: '{{name}} was last used on {{date}} at {{time}}.',
  oldUnused: '{{name}} was never used.',
  hourly: 'Uses are noted once an hour.',
  unseen: 'The app has not used {{name}} yet. If you end the old secret now, it can no longer sign in.',
  finishLater: 'Finish later',
  next: 'Next',
  endOnDate: 'End on {{date}}',
  endNow: 'End now',
  ended: 'The old secret no longer works.',
  endsLater: 'The old secret ends on {{date}}.',
  cancelTitle: 'Cancel the rotation?',
  cancelText: 'The new secret {{name}} is removed. An app that uses it can no longer sign in with it.',
  keep: 'Keep both',
  remove: 'Remove the new secret',
  cancelled: 'The new secret was removed.',
} as const;

export const words = addWords({ secretRotation });

declare module '../../../../shared/i18n/add-words.js' {
  interface Words {
    'clients/rotation': typeof words;
  }
}
