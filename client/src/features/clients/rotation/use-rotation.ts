import { useEffect, useReducer, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClientView } from '../../../../../src/contract/clients/clients.js';
import type { SecretRotation } from '../../../../../src/contract/clients/secret-rotation.js';
import {
  useCancelRotationMutation,
  useChangeRotationMutation,
  useEndRotationMutation,
  useSecretRotationQuery,
  useStartRotationMutation,
} from '../../../api/clients/secret-rotation.js';
import { notifyFailure, reportOutcome } from '../../../api/failures/form-errors.js';
import { longDate } from '../../../shared/i18n/dates.js';
import { notify } from '../../../shared/notices.js';
import './words/en.js';

export const rotationSteps = ['make', 'give', 'see', 'end'] as const;
export type RotationStep = (typeof rotationSteps)[number];

/** The time between two requests whether the new secret was used. */
const lookEveryMs = 2_500;

/** The step at which a rotation stands, for an administrator who opens it. */
function stepOf(rotation: SecretRotation | null): RotationStep {
  if (!rotation) return 'make';
  return rotation.storedAt ? 'see' : 'give';
}

/** The parts of a rotation that only this browser knows. */
interface Local {
  /** The secret to replace; the first one, if none was chosen. */
  replaces: string | null;
  /** The new secret, which was answered once. */
  secret: string | null;
  /** The administrator says that the new secret was stored. */
  stored: boolean;
  /** The administrator continued to the last step. */
  ahead: boolean;
  /** The question whether to remove the new secret is open. */
  asking: boolean;
}

const forgotten = { secret: null, stored: false, ahead: false, asking: false };

/** A rotation of a shared secret. The server knows where it stands; the new secret is only in the calling component. */
export function useRotation(client: ClientView, open: boolean, onClose: () => void) {
  const { t } = useTranslation();
  const { id } = client;
  const [local, keep] = useReducer((before: Local, change: Partial<Local>) => ({ ...before, ...change }), {
    replaces: null,
    ...forgotten,
  });
  const [start, starting] = useStartRotationMutation();
  const [change, changing] = useChangeRotationMutation();
  const [end, ending] = useEndRotationMutation();
  const [cancel, cancelling] = useCancelRotationMutation();
  const [awaits, setAwaits] = useState(false);
  const { data } = useSecretRotationQuery(id, {
    skip: !open,
    pollingInterval: open && awaits ? lookEveryMs : 0,
    skipPollingIfUnfocused: true,
  });
  const rotation = data?.rotation ?? null;
  const at = stepOf(rotation);
  const step: RotationStep = at === 'see' && local.ahead ? 'end' : at;
  const isSeen = rotation?.newSecret.lastUsed != null;
  useEffect(() => setAwaits(step === 'see' && !isSeen), [step, isSeen]);

  /** The secrets that can be replaced. */
  const shared = client.clientSecrets.filter(
    ({ secretType, expires }) => secretType === 'SharedSecret' && !(expires && Date.parse(expires) <= Date.now()),
  );
  const close = () => {
    keep(forgotten);
    onClose();
  };
  const make = async () => {
    try {
      const started = await start({ id, replaces: local.replaces ?? shared[0]?.id ?? '' }).unwrap();
      keep({ secret: started.secret });
      // The secret must not stay in the store.
      starting.reset();
    } catch (error) {
      notifyFailure(error);
    }
  };
  const next = async () => {
    if (step === 'see') return keep({ ahead: true });
    if (reportOutcome(await change({ id, stored: true })) === 'done') keep({ secret: null });
  };
  const changeEnd = async (oldExpires: string) => reportOutcome(await change({ id, oldExpires }));
  const finish = async (now: boolean) => {
    const date = longDate(rotation?.oldSecret.expires ?? '').date;
    if (reportOutcome(await end({ id, now })) !== 'done') return;
    notify('success', now ? t('secretRotation.ended') : t('secretRotation.endsLater', { date }));
    close();
  };
  const remove = async () => {
    const outcome = reportOutcome(await cancel(id));
    keep({ asking: false });
    if (outcome !== 'done') return;
    notify('success', t('secretRotation.cancelled'));
    close();
  };
  const busy = {
    make: starting.isLoading,
    next: changing.isLoading,
    finish: ending.isLoading,
    remove: cancelling.isLoading,
  };
  return { rotation, step, shared, local, keep, close, make, next, changeEnd, finish, remove, busy };
}

export type Rotation = ReturnType<typeof useRotation>;
