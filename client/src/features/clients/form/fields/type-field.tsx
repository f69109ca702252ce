import { Button, Radio } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type ClientType, clientTypes } from '../../../../../../src/contract/rules/client-values.js';
import { defaultClientForm } from '../../../../../../src/contract/rules/clients/client-fields.js';
import { typeChange } from '../../../../../../src/contract/rules/clients/derived-forms.js';
import { isSame } from '../../../../shared/drafts/merge.js';
import { ReadOnlyField } from '../../../../shared/ui/forms/read-only-field.js';
import { Dialog } from '../../../../shared/ui/overlays/dialog.js';
import styles from '../form.module.css';
import { useClientFormState } from '../state/use-client-form.js';
import { FieldGroup } from './field.js';
import { TypeReview } from './type-review.js';
import '../words/en.js';

/** The type, which decides what else there is to fill in. Before it takes back what was typed, it says what that is. */
export function TypeField() {
  const { t } = useTranslation();
  const { draft, isLocked, chooseType } = useClientFormState();
  const [asked, setAsked] = useState<ClientType | null>(null);
  if (isLocked('clientType')) {
    return (
      <div data-place="clientType">
        <ReadOnlyField
          label={t('clients.fields.clientType')}
          value={t(`clients.types.${draft.clientType}`)}
          reason={t('clientForm.fixedAfterCreation')}
        />
      </div>
    );
  }
  const choose = (type: ClientType) => {
    const defaults = defaultClientForm();
    const lost = typeChange(draft, type).hidden.some((field) => !isSame(draft[field], defaults[field]));
    if (lost) setAsked(type);
    else chooseType(type);
  };
  return (
    <FieldGroup place="clientType" label={t('clients.fields.clientType')}>
      {() => (
        <>
          <TypeChoice value={draft.clientType} onChange={choose} />
          <Dialog
            open={asked !== null}
            title={t('clientForm.typeQuestion')}
            width={560}
            onClose={() => setAsked(null)}
            actions={
              <>
                <Button onClick={() => setAsked(null)}>{t('common.cancel')}</Button>
                <Button
                  type="primary"
                  onClick={() => {
                    if (asked) chooseType(asked);
                    setAsked(null);
                  }}
                >
                  {t('clientForm.accept')}
                </Button>
              </>
            }
          >
            {asked && <TypeReview form={draft} type={asked} />}
          </Dialog>
        </>
      )}
    </FieldGroup>
  );
}

export function TypeChoice({ value, onChange }: { value: ClientType | null; onChange: (type: ClientType) => void }) {
  const { t } = useTranslation();
  const offered = clientTypes.filter((type) => type !== 'Invalid');
  return (
    <Radio.Group
      className={styles.types}
      aria-label={t('clients.fields.clientType')}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    >
      {offered.map((type) => (
        <Radio key={type} value={type} className={styles.type}>
          <span className={styles.typeName}>{t(`clients.types.${type}`)}</span>
          <span className={styles.help}>{t(`clientForm.types.${type}`)}</span>
        </Radio>
      ))}
    </Radio.Group>
  );
}
