import { addWords } from '../../../../shared/i18n/add-words.js';

const tags = {
  caption: 'Clients',
  title: 'Tags',
  lead: 'Tags group clients. All administrators use the same tags.',
  empty: 'There are no tags yet.',
  add: 'Add tag',
  edit: 'Edit tag {{value}}',
  deleteOne: 'Delete tag {{value}}',
  value: 'Tag value',
  color: 'Color',
  palette: 'Colors to choose from',
  colors: {
    '#C2410C': 'Orange',
    '#B42318': 'Red',
    '#A21CAF': 'Magenta',
    '#7C3AED': 'Violet',
    '#4F46E5': 'Indigo',
    '#1D6FB8': 'Blue',
    '#0A6375': 'Petrol',
    '#1F7D4F': 'Green',
    '#4D7C0F': 'Olive',
    '#825300': 'Brown',
  },
  changeEffect_zero: 'No client has this tag.',
  changeEffect_one: '{{count}} client has this tag and will show the change.',
  changeEffect_other: '{{count}} clients have this tag and will show the change.',
  delete: 'Delete',
  deleteTitle: 'Delete tag {{value}}?',
  deleteText: 'You will not be able to recover this tag.',
  deleteEffect_zero: 'No client has it.',
  deleteEffect_one: 'It is taken off {{count}} client, which stays as it is otherwise.',
  deleteEffect_other: 'It is taken off {{count}} clients, which stay as they are otherwise.',
  added: 'New tag was successfully added.',
  changed: 'Tag was successfully changed.',
  deleted: 'Tag was successfully deleted.',
} as const;

const gone = {
  tag: 'The selected tag no longer exists. Please refresh the page to view the latest tag list.',
} as const;

export const words = addWords({ gone, tags });

declare module '../../../../shared/i18n/add-words.js' {
  interface Words {
    'clients/tags': typeof words;
  }
}
