import { Form, Radio } from 'antd';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { codeEmpty } from '../../../../src/contract/rules/users/two-factor-code.js';
import type { LinkProof } from '../../../../src/contract/users/account.js';
import { formErrors } from '../../api/failures/form-errors.js';
import { useBeginLinkPasskeyMutation } from '../../api/users/recovery.js';
import type { MailedLink } from '../../shared/addresses/mailed-link.js';
import { supportsPasskeys } from '../../shared/browser/passkey-support.js';
import { translateMessage } from '../../shared/i18n/messages.js';
import { CodeInput, RecoveryCodeInput } from '../two-factor/code-input.js';
import styles from './passwords.module.css';
import '../login/words/en.js';

/** The proof next to the link, by the name of its field in the request; `wait` where the user has none. */
export type ProofKind = 'recoveryCode' | 'verificationCode' | 'passkey' | 'wait';

export interface ProofFieldValues {
  by?: ProofKind;
  recoveryCode?: string;
  verificationCode?: string;
}

/** The proofs that the account and this browser have; the one that helps after a lost device comes first. */
export function proofKinds({ recoveryCodes, authenticator }: LinkProof): ProofKind[] {
  return [
    ...(recoveryCodes ? (['recoveryCode'] as const) : []),
    ...(authenticator ? (['verificationCode'] as const) : []),
    ...(supportsPasskeys() ? (['passkey'] as const) : []),
    'wait',
  ];
}

/** The choice of a proof, with the field of a code. */
export function ProofFields({ proof, by }: { proof: LinkProof; by: ProofKind }) {
  const { t } = useTranslation();
  const title = useId();
  return (
    <div className={styles.proof}>
      <p id={title} className={styles.proofTitle}>
        {t('choosePassword.proof.title')}
      </p>
      <p className={styles.proofText}>{t('choosePassword.proof.lead')}</p>
      <Form.Item name="by" initialValue={by}>
        <Radio.Group
          aria-labelledby={title}
          className={styles.kinds ?? ''}
          options={proofKinds(proof).map((value) => ({ value, label: t(`choosePassword.proof.${value}`) }))}
        />
      </Form.Item>
      {(by === 'recoveryCode' || by === 'verificationCode') && (
        <Form.Item
          key={by}
          name={by}
          label={t(by === 'recoveryCode' ? 'choosePassword.proof.recoveryCode' : 'choosePassword.proof.code')}
          validateTrigger="onSubmit"
          rules={[{ required: true, whitespace: true, message: translateMessage(codeEmpty) }]}
        >
          {by === 'recoveryCode' ? <RecoveryCodeInput /> : <CodeInput onComplete={() => undefined} />}
        </Form.Item>
      )}
    </div>
  );
}

type GivenProof = { proof: Record<string, unknown> } | { stopped: 'proof' } | { errors: string[] };

/** Returns the proof: the code of the form, or the answer of a passkey. */
export function useLinkProof(link: MailedLink) {
  const { t } = useTranslation();
  const [begin] = useBeginLinkPasskeyMutation();
  return async (by: ProofKind, fields: ProofFieldValues): Promise<GivenProof> => {
    if (by !== 'passkey') return { proof: by === 'wait' ? {} : { [by]: fields[by] } };
    const options = await begin(link);
    if (options.error) return { errors: formErrors(options.error).form };
    const { usePasskey: ask } = await import('../passkeys/ceremonies.js');
    const outcome = await ask(options.data);
    if ('stopped' in outcome) return { stopped: 'proof' };
    return 'failed' in outcome ? { errors: [t('login.passkeyFailed')] } : { proof: { passkey: outcome.answer } };
  };
}
