import { importTexts } from '../../../../../../src/contract/messages/imports.en.js';
import { addWords } from '../../../../shared/i18n/add-words.js';

const userImport = {
  title: 'Import users',
  lead: 'A CSV file with the columns name, email, type (Patient or Practitioner) and fhir_user, and claim:… for further claims. At most {{lines}} users.',
  template: 'Download a template',
  file: 'CSV file',
  paste: 'Or paste its lines',
  check: 'Check',
  nothingYet: 'Nothing is changed by the check.',
  windows: 'The file is not UTF-8. It was read as Windows-1252: check letters such as ä and é.',
  tooLarge: 'The file is larger than {{size}} MB. Please divide it.',
  unreadable: 'The file could not be read.',
  fresh_one: '{{number}} user will be created and invited by mail.',
  fresh_other: '{{number}} users will be created and invited by mail.',
  freshByHand_one: '{{number}} user will be created.',
  freshByHand_other: '{{number}} users will be created.',
  byHand: 'No mail server is configured: each user has “Copy link” for the invitation, which you hand over.',
  noneFresh: 'No user would be created.',
  known_one: '{{number}} line has an address that has an account. It is left out.',
  known_other: '{{number}} lines have an address that has an account. They are left out.',
  wrong_one: '{{number}} line is wrong. It is left out.',
  wrong_other: '{{number}} lines are wrong. They are left out.',
  ignored: 'Not imported: {{columns}}.',
  wrongLines: 'Wrong lines',
  line: 'Line {{line}}',
  more: 'And {{number}} more, all of which are in the download.',
  download: 'Download the wrong lines',
  problem: 'problem',
  back: 'Back',
  import_one: 'Import {{number}} user',
  import_other: 'Import {{number}} users',
  running: '{{done}} of {{total}} done. The import continues when this is closed.',
  created_one: '{{number}} user was created and will be invited by mail.',
  created_other: '{{number}} users were created and will be invited by mail.',
  createdByHand_one: '{{number}} user was created.',
  createdByHand_other: '{{number}} users were created.',
  knownMeanwhile_one: '{{number}} had got an account in the meantime.',
  knownMeanwhile_other: '{{number}} had got an account in the meantime.',
  refused_one: '{{number}} was refused.',
  refused_other: '{{number}} were refused.',
  finished: 'The import is finished.',
  stop: 'Stop',
  stopped: 'The import was stopped.',
  left_one: '{{number}} line was not imported. Import the same file again to continue.',
  left_other: '{{number}} lines were not imported. Import the same file again to continue.',
  undo: 'Undo the import',
  undoAsk_one: 'Remove the {{number}} user that this import has created?',
  undoAsk_other: 'Remove the {{number}} users that this import has created?',
  undoKeeps:
    'Users who have used their invitation, or were changed since, are kept. The links of the others stop working.',
  undoDo_one: 'Remove {{number}} user',
  undoDo_other: 'Remove {{number}} users',
  undoing: '{{done}} of {{total}} undone. This continues when it is closed.',
  undone: 'The import was undone.',
  removed_one: '{{number}} user was removed.',
  removed_other: '{{number}} users were removed.',
  stayed_one: '{{number}} user was kept.',
  stayed_other: '{{number}} users were kept.',
  keptUsers: 'Kept users',
  keptReasons: {
    used: 'The invitation was used.',
    changed: 'The user was changed since.',
  },
  moreKept: 'And {{number}} more.',
  lost: 'The progress of the import is unknown at the moment. The import continues.',
} as const;

export const words = addWords({ userImport, messages: importTexts });

declare module '../../../../shared/i18n/add-words.js' {
  interface Words {
    'users/import': typeof words;
  }
}
