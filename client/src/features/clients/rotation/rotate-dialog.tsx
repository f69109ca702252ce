import { CheckOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClientView } from '../../../../../src/contract/clients/clients.js';
import type { SecretRotation } from '../../../../../src/contract/clients/secret-rotation.js';
import {
  useCancelRotationMutation,
  useChangeRotationMutation,
  useEndRotationMutation,
  useSecretRotationQuery,
  useStartRotationMutation,
} from '../../../api/clients/clients.js';
import { notifyFailure, reportOutcome } from '../../../api/failures/form-errors.js';
import { longDate } from '../../../shared/i18n/dates.js';
import { isolateName } from '../../../shared/i18n/isolate-name.js';
import { notify } from '../../../shared/notices.js';
import { Dialog } from '../../../shared/ui/overlays/dialog.js';
import styles from './rotate-secret.module.css';
import { EndStep, GiveStep, MakeStep, SeeStep, useSecretName } from './rotate-steps.js';

export interface RotateDialogProps {
  client: ClientView;
  open: boolean;
  onClose: () => void;
}

const steps = ['make', 'give', 'see', 'end'] as const;
type Step = (typeof steps)[number];

/** The time between two requests whether the new secret was used. */
const lookEveryMs = 2_500;

/** The step at which a rotation stands, for an administrator who opens it. */
function stepOf(rotation: SecretRotation | null | undefined): Step {
  if (!rotation) return 'make';
  return rotation.storedAt ? 'see' : 'give';
}

/** Replaces a shared secret in four steps. The server knows where it stands; the new secret is only in this component. */
export function RotateDialog({ client, open, onClose }: RotateDialogProps) {
  const { t } = useTranslation();
  const { id } = client;
  const [ahead, setAhead] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const [stored, setStored] = useState(false);
  const [replaces, setReplaces] = useState<string | null>(null);
  const [asking, setAsking] = useState(false);
  const nameOf = useSecretName();
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
  const step: Step = at === 'see' && ahead ? 'end' : at;
  const isSeen = rotation?.newSecret.lastUsed != null;
  useEffect(() => setAwaits(step === 'see' && !isSeen), [step, isSeen]);

  const shared = client.clientSecrets.filter(
    ({ secretType, expires }) => secretType === 'SharedSecret' && !(expires && Date.parse(expires) <= Date.now()),
  );
  const close = () => {
    setSecret(null);
    setStored(false);
    setAhead(false);
    onClose();
  };
  const make = async () => {
    try {
      const started = await start({ id, replaces: replaces ?? shared[0]?.id ?? '' }).unwrap();
      setSecret(started.secret);
      // The secret must not stay in the store.
      starting.reset();
    } catch (error) {
      notifyFailure(error);
    }
  };
  const next = async () => {
    if (step === 'see') return setAhead(true);
    if (reportOutcome(await change({ id, stored: true })) === 'done') setSecret(null);
  };
  const finish = async (now: boolean) => {
    const date = longDate(rotation?.oldSecret.expires ?? '').date;
    if (reportOutcome(await end({ id, now })) !== 'done') return;
    notify('success', now ? t('secretRotation.ended') : t('secretRotation.endsLater', { date }));
    close();
  };
  const remove = async () => {
    const outcome = reportOutcome(await cancel(id));
    setAsking(false);
    if (outcome !== 'done') return;
    notify('success', t('secretRotation.cancelled'));
    close();
  };
  const number = steps.indexOf(step) + 1;
  const oldEnd = rotation?.oldSecret.expires;
  return (
    <Dialog
      open={open}
      width={800}
      whole
      title={t('secretRotation.title')}
      onClose={close}
      actions={
        <div className={styles.actions}>
          <Button type="text" className={styles.cancel} onClick={() => (rotation ? setAsking(true) : close())}>
            {t('common.cancel')}
          </Button>
          {rotation && <Button onClick={close}>{t('secretRotation.finishLater')}</Button>}
          {step === 'make' && (
            <Button type="primary" loading={starting.isLoading} disabled={shared.length === 0} onClick={make}>
              {t('secretRotation.make')}
            </Button>
          )}
          {(step === 'give' || step === 'see') && (
            <Button type="primary" loading={changing.isLoading} disabled={step === 'give' && !stored} onClick={next}>
              {t('secretRotation.next')}
            </Button>
          )}
          {step === 'end' && oldEnd && (
            <Button loading={ending.isLoading} onClick={() => finish(false)}>
              {t('secretRotation.endOnDate', { date: longDate(oldEnd).date })}
            </Button>
          )}
          {step === 'end' && (
            <Button type="primary" danger loading={ending.isLoading} onClick={() => finish(true)}>
              {t('secretRotation.endNow')}
            </Button>
          )}
        </div>
      }
    >
      <div className={styles.columns}>
        <ol className={styles.rail}>
          {steps.map((one, index) => (
            <li
              key={one}
              className={one === step ? styles.current : index < number - 1 ? styles.done : undefined}
              {...(one === step && { 'aria-current': 'step' as const })}
            >
              <span className={styles.number} aria-hidden>
                {index < number - 1 ? <CheckOutlined /> : index + 1}
              </span>
              <span className={styles.stepName}>
                {t(`secretRotation.steps.${one}`)}
                {one === 'make' && rotation && <span className={styles.made}>{nameOf(rotation.newSecret)}</span>}
              </span>
            </li>
          ))}
        </ol>
        <div className={styles.main}>
          <div className={styles.head}>
            <p className={styles.place}>
              {t('secretRotation.step', { number, name: isolateName(client.clientName || client.clientId) })}
            </p>
            <h3 className={styles.heading}>{t(`secretRotation.steps.${step}`)}</h3>
            <p className={styles.lead}>{t(`secretRotation.texts.${step}`)}</p>
          </div>
          {step === 'make' && <MakeStep secrets={shared} chosen={replaces} onChoose={setReplaces} />}
          {step === 'give' && rotation && (
            <GiveStep
              rotation={rotation}
              secret={secret}
              stored={stored}
              onStored={setStored}
              onEnd={async (oldExpires) => reportOutcome(await change({ id, oldExpires }))}
            />
          )}
          {step === 'see' && rotation && <SeeStep rotation={rotation} />}
          {step === 'end' && rotation && <EndStep rotation={rotation} />}
        </div>
      </div>
      <Dialog
        open={asking}
        title={t('secretRotation.cancelTitle')}
        onClose={() => setAsking(false)}
        actions={
          <>
            <Button onClick={() => setAsking(false)}>{t('secretRotation.keep')}</Button>
            <Button type="primary" danger loading={cancelling.isLoading} onClick={remove}>
              {t('secretRotation.remove')}
            </Button>
          </>
        }
      >
        {rotation && t('secretRotation.cancelText', { name: nameOf(rotation.newSecret) })}
      </Dialog>
    </Dialog>
  );
}
