import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import type { OwnRelationship } from '../../../../../src/contract/representation.js';
import { failureText, isGone } from '../../../api/failures/form-errors.js';
import { useAgreeToStepMutation, useConfirmRelationshipMutation } from '../../../api/own-record/family.js';
import { isolateName } from '../../../shared/i18n/isolate-name.js';
import { notify } from '../../../shared/notices.js';
import { ErrorList } from '../../../shared/ui/forms/error-list.js';
import { dayText } from '../day.js';
import styles from '../family.module.css';

/** The questions to the patient about a representative: whether it is still right, and to agree to an age step. */
export function PatientQuestions({ relationship }: { relationship: OwnRelationship }) {
  const { isAsked, agreement } = relationship;
  return (
    <>
      {isAsked && <StillRight relationship={relationship} />}
      {agreement && <Agreement relationship={relationship} agreement={agreement} />}
    </>
  );
}

function StillRight({ relationship: { id, name } }: { relationship: OwnRelationship }) {
  const { t } = useTranslation();
  const [confirm, { isLoading, error }] = useConfirmRelationshipMutation();
  const send = async () => {
    const { error: failure } = await confirm({ id });
    if (!failure) notify('success', t('family.answered'));
  };
  return (
    <div className={styles.question}>
      <p>{t('family.stillRight', { name: isolateName(name) })}</p>
      <Button loading={isLoading} onClick={send}>
        {t('family.stillRightYes')}
      </Button>
      <ErrorList errors={isLoading || isGone(error) ? [] : failureText(error)} />
    </div>
  );
}

function Agreement({
  relationship: { id, name, changedAt },
  agreement: { step, on, isAgreed },
}: {
  relationship: OwnRelationship;
  agreement: NonNullable<OwnRelationship['agreement']>;
}) {
  const { t } = useTranslation();
  const [agree, { isLoading, error }] = useAgreeToStepMutation();
  const send = async () => {
    const seen = changedAt === null ? {} : { seenChange: changedAt };
    const { error: failure } = await agree({ id, step, isAgreed: !isAgreed, ...seen });
    if (!failure) notify('success', t('family.answered'));
  };
  const values = { name: isolateName(name), date: on === null ? '' : dayText(on) };
  const text = isAgreed ? 'family.agreed' : on === null ? 'family.askAgreement' : 'family.askAgreementFrom';
  return (
    <div className={styles.question}>
      <p>{t(text, values)}</p>
      <Button loading={isLoading} onClick={send}>
        {t(isAgreed ? 'family.takeBackAgreement' : 'family.agree')}
      </Button>
      <ErrorList errors={isLoading || isGone(error) ? [] : failureText(error)} />
    </div>
  );
}
