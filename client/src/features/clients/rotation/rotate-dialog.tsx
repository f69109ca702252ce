import { CheckOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClientView } from '../../../../../src/contract/clients/clients.js';
import type { SecretRotation } from '../../../../../src/contract/clients/secret-rotation.js';
import { longDate } from '../../../shared/i18n/dates.js';
import { isolateName } from '../../../shared/i18n/isolate-name.js';
import { Dialog } from '../../../shared/ui/overlays/dialog.js';
import styles from './rotate-secret.module.css';
import { EndStep, GiveStep, MakeStep, SeeStep, useSecretName } from './rotate-steps.js';
import { type Rotation, type RotationStep, rotationSteps, useRotation } from './use-rotation.js';
import './words/en.js';

export interface RotateDialogProps {
  client: ClientView;
  open: boolean;
  onClose: () => void;
}

/** Replaces a shared secret in four steps. */
export function RotateDialog({ client, open, onClose }: RotateDialogProps) {
  const { t } = useTranslation();
  const all = useRotation(client, open, onClose);
  const { rotation, step, local, keep } = all;
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(step);
  useEffect(() => {
    // The button that led here may have left with the step before.
    if (open && shown.current !== step) heading.current?.focus();
    shown.current = step;
  }, [open, step]);
  return (
    <Dialog
      open={open}
      width={800}
      whole
      title={t('secretRotation.title')}
      onClose={all.close}
      actions={<Actions of={all} />}
    >
      <div className={styles.columns}>
        <Rail step={step} rotation={rotation} />
        <div className={styles.main}>
          <div className={styles.head}>
            <p className={styles.place}>
              {t('secretRotation.step', {
                number: rotationSteps.indexOf(step) + 1,
                name: isolateName(client.clientName || client.clientId),
              })}
            </p>
            <h3 ref={heading} tabIndex={-1} className={styles.heading}>
              {t(`secretRotation.steps.${step}`)}
            </h3>
            <p className={styles.lead}>{t(`secretRotation.texts.${step}`)}</p>
          </div>
          {step === 'make' && (
            <MakeStep secrets={all.shared} chosen={local.replaces} onChoose={(replaces) => keep({ replaces })} />
          )}
          {step === 'give' && rotation && (
            <GiveStep
              rotation={rotation}
              secret={local.secret}
              stored={local.stored}
              onStored={(stored) => keep({ stored })}
              onEnd={all.changeEnd}
            />
          )}
          {step === 'see' && rotation && <SeeStep rotation={rotation} />}
          {step === 'end' && rotation && <EndStep rotation={rotation} />}
        </div>
      </div>
      <CancelQuestion of={all} />
    </Dialog>
  );
}

/** The steps, with a mark at those that are done. */
function Rail({ step, rotation }: { step: RotationStep; rotation: SecretRotation | null }) {
  const { t } = useTranslation();
  const nameOf = useSecretName();
  const at = rotationSteps.indexOf(step);
  return (
    <ol className={styles.rail}>
      {rotationSteps.map((one, index) => (
        <li
          key={one}
          className={one === step ? styles.current : index < at ? styles.done : undefined}
          {...(one === step && { 'aria-current': 'step' as const })}
        >
          <span className={styles.number} aria-hidden>
            {index < at ? <CheckOutlined /> : index + 1}
          </span>
          <span className={styles.stepName}>
            {t(`secretRotation.steps.${one}`)}
            {one === 'make' && rotation && <span className={styles.made}>{nameOf(rotation.newSecret)}</span>}
          </span>
        </li>
      ))}
    </ol>
  );
}

function Actions({ of: all }: { of: Rotation }) {
  const { t } = useTranslation();
  const { rotation, step, local, busy } = all;
  const oldEnd = rotation?.oldSecret.expires;
  return (
    <div className={styles.actions}>
      <Button
        type="text"
        className={styles.cancel}
        onClick={() => (rotation ? all.keep({ asking: true }) : all.close())}
      >
        {t('common.cancel')}
      </Button>
      {rotation && <Button onClick={all.close}>{t('secretRotation.finishLater')}</Button>}
      {step === 'make' && (
        <Button type="primary" loading={busy.make} disabled={all.shared.length === 0} onClick={all.make}>
          {t('secretRotation.make')}
        </Button>
      )}
      {(step === 'give' || step === 'see') && (
        <Button type="primary" loading={busy.next} disabled={step === 'give' && !local.stored} onClick={all.next}>
          {t('secretRotation.next')}
        </Button>
      )}
      {step === 'end' && oldEnd && (
        <Button loading={busy.finish} onClick={() => all.finish(false)}>
          {t('secretRotation.endOnDate', { date: longDate(oldEnd).date })}
        </Button>
      )}
      {step === 'end' && (
        <Button type="primary" danger loading={busy.finish} onClick={() => all.finish(true)}>
          {t('secretRotation.endNow')}
        </Button>
      )}
    </div>
  );
}

/** Asks before the new secret is removed. */
function CancelQuestion({ of: { rotation, local, keep, remove, busy } }: { of: Rotation }) {
  const { t } = useTranslation();
  const nameOf = useSecretName();
  const close = () => keep({ asking: false });
  return (
    <Dialog
      open={local.asking}
      title={t('secretRotation.cancelTitle')}
      onClose={close}
      actions={
        <>
          <Button onClick={close}>{t('secretRotation.keep')}</Button>
          <Button type="primary" danger loading={busy.remove} onClick={remove}>
            {t('secretRotation.remove')}
          </Button>
        </>
      }
    >
      {rotation && t('secretRotation.cancelText', { name: nameOf(rotation.newSecret) })}
    </Dialog>
  );
}
