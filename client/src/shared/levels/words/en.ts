import { kindWords } from '../../../../../src/contract/rules/representation/kind-words.js';
import { addWords } from '../../i18n/add-words.js';

const levels = {
  ...kindWords,
  everything: 'Everything',
  everythingBut: 'Everything but what is kept private',
  only: 'Only: {{kinds}}',
  onlyMore_one: 'Only: {{kinds}}, and {{count}} more',
  onlyMore_other: 'Only: {{kinds}}, and {{count}} more',
  nothing: 'Nothing of the record',
  private: 'Kept private: {{kinds}}',
  includes: 'What “{{level}}” includes',
  coded: '{{kind}} by code',
  chosenInText: 'only {{kinds}}',
  chosenLevel: 'Limited: chosen kinds',
  choose: 'Let me choose',
  chooseHelp: 'Tick each kind yourself',
  chooseKinds: 'Kinds they may see',
  kindsNeeded: 'Please choose one kind at least.',
  chooseSensitive: 'Sensitive kinds',
  chooseSensitiveHelp: 'They stay private unless you tick them, also inside of other kinds.',
} as const;

export const words = addWords({ levels });

declare module '../../i18n/add-words.js' {
  interface Words {
    'shared/levels': typeof words;
  }
}
