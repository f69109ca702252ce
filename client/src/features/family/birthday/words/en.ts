import { addWords } from '../../../../shared/i18n/add-words.js';

const familyNews = {
  aloneTitle: '{{name}}, your record is now yours alone',
  lessTitle: '{{name}}, fewer people act for you now',
  turned: 'You turned {{age}} on {{date}}.',
  mayHaveTurned: 'By your date of birth in the record, you may be {{age}} since {{date}}.',
  noneActs: 'No one acts for you any more.',
  someAct: 'You are still helped by {{names}}.',
  whatEnded: 'What ended that day',
  who: '{{name}} (your {{relation}})',
  sawRecord: 'Saw your record',
  sawPart: 'Saw part of your record',
  appOf: 'An app {{name}} had allowed for you',
  log: 'What they looked at',
  logLater: 'You find this later in the menu, in “Who has seen my record”.',
  whatContinues: 'What continues',
  stillActs: 'Still acts for you',
  ownApp: 'You allowed it yourself',
  help: 'Would you like help?',
  invite: 'Invite a helper',
  inviteText: 'A parent or someone else. You choose what they see.',
  inviteLater: 'You can do this later in the menu, in “Family and carers”.',
  actsTitle: '{{name}}, someone looks after your record with you',
  actsLead_one: 'This person acts for you here. You can always see what they did.',
  actsLead_other: 'These people act for you here. You can always see what they did.',
  whoActs: 'Who acts for you',
  since: 'Since {{date}}',
  seesAll: 'May see everything but what is kept private',
  sees: 'May see only: {{kinds}}',
  seesNothing: 'May see nothing but who you are',
  actions: 'Go on from here',
  continue: 'Continue',
};

export const words = addWords({ familyNews });

declare module '../../../../shared/i18n/add-words.js' {
  interface Words {
    familyNews: typeof words;
  }
}
