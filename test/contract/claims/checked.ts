/** What some sentences are tied to: they are told only where this was checked or recorded. */
export interface Checked {
  /**
   * The module that checks or records it; or `specification` for fixed texts, `reading` for advice and names of
   * choices.
   */
  by: string;
  what: string;
  sentences: readonly string[];
}

/**
 * Sentences that claim what did not happen, what is complete, or what holds of all. A label of one word claims nothing
 * by itself: it names the value next to it.
 */
export const claims = new RegExp(
  [
    'nothing|no one|nobody|never|everything|everyone|everywhere|only you|immediately|at once|under way',
    'on (?:its|their) way|everything worked|is wrong with|no longer|any more|unchanged|broken off|interrupted|still',
    'not (?:been|come|seen|yet|used|changed|done|saved|undone|created|imported|issued|recorded|read|granted|sent|deleted|live)',
    '(?:was|were|has|have|had|did) (?:not|no|none)',
    'no \\w+(?: \\w+)? (?:was|were|has|have|is)',
    'stays? (?:the same|as)',
    '(?:was|were|is|are|been|invitations?) (?:\\w+ )?(?:sent|mailed|invited|notified)',
    'we (?:have )?(?:sent|mailed|told)',
    'all (?:\\w+ )?(?:good|apps|devices|access|tokens|other|sessions|users|people|data|pass)',
    'each of (?:these|them) (?:was|were)',
    'every (?:request|check|attempt|code)',
  ]
    .map((part) => `\\b(?:${part})\\b`)
    .join('|'),
  'i',
);
