import type { Receipt } from '../../../../src/contract/own-record/receipts.js';
import { api } from '../base.js';

const receiptsApi = api.injectEndpoints({
  endpoints: (build) => ({
    receipt: build.query<Receipt, string>({ query: (id) => `receipt/${encodeURIComponent(id)}` }),
  }),
});

export const { useReceiptQuery } = receiptsApi;
