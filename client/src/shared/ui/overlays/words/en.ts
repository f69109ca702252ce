import { addWords } from '../../../i18n/add-words.js';

/** Other administrators who have a client or user open. */
const presence = {
  editing_one: '{{names}} is editing.',
  editing_other: '{{names}} are editing.',
  saved_one: '{{names}} saved changes just now.',
  saved_other: '{{names}} saved changes just now.',
  viewing_one: '{{names}} has this open.',
  viewing_other: '{{names}} have this open.',
  andOthers: '{{name}} and {{number}} others',
  own: {
    editing: 'You are editing this in another tab.',
    saved: 'You saved changes in another tab just now.',
    viewing: 'You have this open in another tab.',
  },
} as const;

export const words = addWords({ presence });

declare module '../../../i18n/add-words.js' {
  interface Words {
    'shared/ui/overlays': typeof words;
  }
}
