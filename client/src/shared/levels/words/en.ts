import { addWords } from '../../i18n/add-words.js';

const levels = {
  everything: 'Everything',
  everythingBut: 'Everything but what is kept private',
  only: 'Only: {{kinds}}',
  onlyMore_one: 'Only: {{kinds}}, and {{count}} more',
  onlyMore_other: 'Only: {{kinds}}, and {{count}} more',
  nothing: 'Nothing of the record',
  private: 'Kept private: {{kinds}}',
  includes: 'What “{{level}}” includes',
  sensitive: {
    ETH: 'substance use',
    HIV: 'HIV',
    MH: 'mental health',
    PSY: 'mental health',
    SDV: 'violence and abuse',
    SEX: 'sexual health',
    STD: 'sexually transmitted infections',
    SUD: 'substance use',
  },
  label: 'what is labelled {{label}}',
  coded: '{{kind}} by code',
  attachment: '{{kind}}, attached files',
  chosen: 'Chosen kinds: {{kinds}}',
  chosenInText: 'only {{kinds}}',
  chosenLevel: 'Limited: chosen kinds',
  choose: 'Let me choose',
  chooseHelp: 'Tick each kind yourself',
  chooseKinds: 'Kinds they may see',
  kindsNeeded: 'Please choose one kind at least.',
  chooseSensitive: 'Sensitive kinds',
  chooseSensitiveHelp: 'They stay private unless you tick them, also inside of other kinds.',
  contactDetails: 'Contact details',
} as const;

export const words = addWords({ levels });

declare module '../../i18n/add-words.js' {
  interface Words {
    'shared/levels': typeof words;
  }
}
