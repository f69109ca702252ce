import type { SignInResult } from '../../../../src/contract/session.js';
import type {
  AddPasskeyRequest,
  ConfirmByPasskeyRequest,
  OwnPasskey,
  OwnPasskeys,
  PasskeyOffer,
  PasskeyOptions,
  PasskeySignInRequest,
} from '../../../../src/contract/users/passkeys.js';
import { api } from '../base.js';

/** A change of the passkeys; a removal also ends the other sessions. */
const changed = (_result: unknown, error: unknown) => (error ? [] : (['Passkeys', 'Sessions'] as const));

const passkeyApi = api.injectEndpoints({
  endpoints: (build) => ({
    passkeys: build.query<OwnPasskeys, void>({ query: () => 'passkeys', providesTags: ['Passkeys'] }),
    passkeyOffer: build.query<PasskeyOffer, void>({ query: () => 'passkeys/offer', keepUnusedDataFor: 0 }),
    putOffPasskey: build.mutation<void, void>({
      query: () => ({ url: 'passkeys/offer/later', method: 'POST', body: {} }),
    }),
    beginPasskey: build.mutation<PasskeyOptions, { currentPassword?: string | undefined }>({
      query: (body) => ({ url: 'passkeys/registration', method: 'POST', body }),
    }),
    beginConfirmation: build.mutation<PasskeyOptions, void>({
      query: () => ({ url: 'passkeys/confirmation/options', method: 'POST', body: {} }),
    }),
    confirm: build.mutation<void, ConfirmByPasskeyRequest>({
      query: (body) => ({ url: 'passkeys/confirmation', method: 'POST', body }),
      invalidatesTags: changed,
    }),
    addPasskey: build.mutation<OwnPasskey, AddPasskeyRequest>({
      query: (body) => ({ url: 'passkeys', method: 'POST', body }),
      invalidatesTags: changed,
    }),
    renamePasskey: build.mutation<void, { id: string; name: string }>({
      query: ({ id, name }) => ({ url: `passkeys/${id}`, method: 'PATCH', body: { name } }),
      invalidatesTags: changed,
    }),
    removePasskey: build.mutation<void, { id: string; currentPassword?: string | undefined }>({
      query: ({ id, ...body }) => ({ url: `passkeys/${id}`, method: 'DELETE', body }),
      invalidatesTags: changed,
    }),
    beginPasskeySignIn: build.mutation<PasskeyOptions, void>({
      query: () => ({ url: 'passkeys/sign-in/options', method: 'POST', body: {} }),
    }),
    passkeySignIn: build.mutation<SignInResult, PasskeySignInRequest>({
      query: (body) => ({ url: 'passkeys/sign-in', method: 'POST', body }),
    }),
    beginPasskeyFactor: build.mutation<PasskeyOptions, { returnUrl: string | null }>({
      query: (body) => ({ url: 'twofactor/passkey/options', method: 'POST', body }),
    }),
    passkeyFactor: build.mutation<SignInResult, PasskeySignInRequest>({
      query: (body) => ({ url: 'twofactor/passkey', method: 'POST', body }),
    }),
  }),
});

export const {
  usePasskeysQuery,
  useLazyPasskeyOfferQuery,
  usePutOffPasskeyMutation,
  useBeginPasskeyMutation,
  useBeginConfirmationMutation,
  useConfirmMutation,
  useAddPasskeyMutation,
  useRenamePasskeyMutation,
  useRemovePasskeyMutation,
  useBeginPasskeySignInMutation,
  usePasskeySignInMutation,
  useBeginPasskeyFactorMutation,
  usePasskeyFactorMutation,
} = passkeyApi;
