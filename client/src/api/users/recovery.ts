import type { LinkPasskeyRequest, WaitingRecovery } from '../../../../src/contract/users/account.js';
import type { OwnRecoveryFacts, PasskeyOptions, RecoveryCodes } from '../../../../src/contract/users/passkeys.js';
import type { MailedLink } from '../../shared/addresses/mailed-link.js';
import { api } from '../base.js';

/** A call with the token of a link, below the user's address. */
const byLink = (path: (userId: string) => string) => ({
  query: ({ userId, token }: MailedLink) => ({
    url: path(encodeURIComponent(userId)),
    method: 'POST',
    body: { token },
  }),
});

const recoveryApi = api.injectEndpoints({
  endpoints: (build) => ({
    beginLinkPasskey: build.mutation<PasskeyOptions, MailedLink>(byLink((id) => `user/forgot-password/${id}/passkey`)),
    beginLinkRegistration: build.mutation<PasskeyOptions, MailedLink & Pick<LinkPasskeyRequest, 'purpose'>>({
      query: ({ userId, ...body }) => ({
        url: `user/${encodeURIComponent(userId)}/passkey/options`,
        method: 'POST',
        body,
      }),
    }),
    addLinkPasskey: build.mutation<void, MailedLink & LinkPasskeyRequest>({
      query: ({ userId, ...body }) => ({ url: `user/${encodeURIComponent(userId)}/passkey`, method: 'POST', body }),
    }),
    beginRecovery: build.mutation<WaitingRecovery, MailedLink>(byLink((id) => `user/${id}/recovery`)),
    waitingRecovery: build.query<WaitingRecovery, MailedLink>({
      ...byLink((id) => `user/${id}/recovery/link`),
      keepUnusedDataFor: 0,
    }),
    endRecovery: build.mutation<void, MailedLink>(byLink((id) => `user/${id}/recovery/end`)),
    ownRecovery: build.query<OwnRecoveryFacts, void>({ query: () => 'passkeys/recovery', providesTags: ['Passkeys'] }),
    makeRecoveryCodes: build.mutation<RecoveryCodes, { currentPassword?: string | undefined }>({
      query: (body) => ({ url: 'passkeys/recovery/codes', method: 'POST', body }),
      invalidatesTags: (_result, error) => (error ? [] : ['Passkeys']),
    }),
    endOwnRecovery: build.mutation<void, void>({
      query: () => ({ url: 'passkeys/recovery', method: 'DELETE' }),
      invalidatesTags: (_result, error) => (error ? [] : ['Passkeys']),
    }),
  }),
});

export const {
  useBeginLinkPasskeyMutation,
  useBeginLinkRegistrationMutation,
  useAddLinkPasskeyMutation,
  useBeginRecoveryMutation,
  useWaitingRecoveryQuery,
  useEndRecoveryMutation,
  useOwnRecoveryQuery,
  useMakeRecoveryCodesMutation,
  useEndOwnRecoveryMutation,
} = recoveryApi;
