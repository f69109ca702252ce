import type { OpenedQuery, OpenedRows, PaletteMatches } from '../../../src/contract/palette.js';
import { api } from './base.js';

const paletteApi = api.injectEndpoints({
  endpoints: (build) => ({
    /** Names of persons are not kept longer than they are shown. */
    paletteMatches: build.query<PaletteMatches, string>({
      query: (term) => ({ url: 'admin/palette', params: { term } }),
      keepUnusedDataFor: 0,
    }),
    openedRows: build.query<OpenedRows, OpenedQuery>({
      query: (params) => ({ url: 'admin/palette/opened', params }),
      keepUnusedDataFor: 0,
    }),
  }),
});

export const { usePaletteMatchesQuery, useOpenedRowsQuery } = paletteApi;
