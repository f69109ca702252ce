/** English of the pages that work without the React application (`src/platform/http/plain-page.ts`). */
export const pageTexts = {} as const;
