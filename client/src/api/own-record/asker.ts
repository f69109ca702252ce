import type { AccountForm, AskForAccountRequest, OpenedAccount } from '../../../../src/contract/requests/accounts.js';
import type { MailedLink } from '../../shared/addresses/mailed-link.js';
import { api } from '../base.js';

const askerApi = api.injectEndpoints({
  endpoints: (build) => ({
    askerForm: build.query<AccountForm, void>({ query: () => 'requests/account' }),
    askForAccount: build.mutation<void, AskForAccountRequest>({
      query: (body) => ({ url: 'requests/account', method: 'POST', body }),
    }),
    openAccount: build.mutation<OpenedAccount, MailedLink>({
      query: ({ userId: id, token }) => ({
        url: `requests/account/${encodeURIComponent(id)}`,
        method: 'POST',
        body: { token },
      }),
    }),
  }),
});

export const { useAskerFormQuery, useAskForAccountMutation, useOpenAccountMutation } = askerApi;
