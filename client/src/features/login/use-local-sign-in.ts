import { useState } from 'react';
import { useNavigate } from 'react-router-dom';
import type { LoginResult } from '../../../../src/contract/session.js';
import { formErrors } from '../../api/failures/form-errors.js';
import { useLazySessionQuery, useLoginMutation } from '../../api/session.js';
import { useSettings } from '../../api/settings.js';
import { useLazyPasskeyOfferQuery } from '../../api/users/passkeys.js';
import { knownReturnUrl, withReturnUrl } from '../../shared/addresses/return-url.js';
import { leave } from '../../shared/browser/leave.js';
import { hasOwnAuthenticator, supportsPasskeys } from '../../shared/browser/passkey-support.js';

export interface SignInFields {
  username: string;
  password: string;
  rememberLogin: boolean;
}

/** A sign-in whose password was right, and which waits for the second factor. */
interface PendingSignIn {
  open: boolean;
  rememberMe: boolean;
  /** A passkey proves the second factor, too. */
  hasPasskey: boolean;
}

/** Signs a user in by password, with the second step if the account has one. */
export function useLocalSignIn(
  returnUrl: string | null,
  onErrors: (errors: string[]) => void,
  onInitializing: () => void,
  onOffer: (goOn: () => unknown) => void,
) {
  const navigate = useNavigate();
  const { passkeysAllowed, passkeysRequired } = useSettings();
  const [login, { isLoading }] = useLoginMutation();
  const [loadSession, { isFetching }] = useLazySessionQuery();
  const [loadOffer, offer] = useLazyPasskeyOfferQuery();
  const [secondStep, setSecondStep] = useState<PendingSignIn | null>(null);

  const submit = async (fields: SignInFields) => {
    onErrors([]);
    const result = await login({ ...fields, returnUrl });
    if (result.error) {
      const status = 'status' in result.error ? result.error.status : undefined;
      if (status === 503) return onInitializing();
      // The password was right, but the account is not set up yet.
      if (status === 403) return navigate(withReturnUrl('/account/error', returnUrl), { replace: true });
      return onErrors(formErrors(result.error).form);
    }
    const { keepPage } = result.data;
    if (keepPage !== undefined) return toKeepPage(keepPage);
    if (result.data.is2faEnabled) return setSecondStep(secondStepOf(result.data, fields));
    await goOnOrOffer();
  };

  /** No session began: the user has requested the deletion of the account. */
  const toKeepPage = (page: string) =>
    navigate(returnUrl ? `${page}&${new URLSearchParams({ returnUrl })}` : page, { replace: true });

  const goOn = async () => {
    await loadSession();
    const target = knownReturnUrl(returnUrl, window.location.origin);
    // The account of an authorization becomes a session only there, and one that has to sign in again stays on this
    // page.
    if (target?.onServer) leave(target.to);
  };

  /**
   * A device that can make passkeys is asked for one, as long as the session of the sign-in is not yet loaded. Where
   * passkeys are required, others are asked, too: a phone or a security key can make it.
   */
  const goOnOrOffer = async () => {
    const isOfferable = passkeysRequired || (passkeysAllowed && (await hasOwnAuthenticator()));
    if (isOfferable && (await loadOffer()).data?.isOffered) onOffer(goOn);
    else await goOn();
  };

  const closeSecondStep = () => setSecondStep((step) => step && { ...step, open: false });

  return {
    submit,
    busy: isLoading || isFetching || offer.isFetching,
    secondStep,
    closeSecondStep,
    goOn,
    goOnOrOffer,
    toKeepPage,
  };
}

function secondStepOf({ hasPasskey = false }: LoginResult, { rememberLogin }: SignInFields): PendingSignIn {
  return { open: true, rememberMe: rememberLogin, hasPasskey: hasPasskey && supportsPasskeys() };
}
