import { Button, Form } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { OwnRelationship } from '../../../../../src/contract/representation.js';
import type { CurrentUser } from '../../../../../src/contract/session.js';
import { isRefusedFor } from '../../../api/failures/form-errors.js';
import { useChangeLevelMutation } from '../../../api/own-record/family.js';
import { isolateName } from '../../../shared/i18n/isolate-name.js';
import { notify } from '../../../shared/notices.js';
import { ErrorList } from '../../../shared/ui/forms/error-list.js';
import { Sheet } from '../../../shared/ui/overlays/sheet.js';
import { dayText } from '../day.js';
import styles from '../family.module.css';
import { LevelChoice } from '../level-choice.js';
import { ProofFields } from '../proof-fields.js';
import { useProvenRefusal } from '../use-proven-refusal.js';

interface Fields {
  level: string;
  currentPassword?: string;
}

/** The patient lets a representative see more or less. More asks for a proof of the patient, once it is needed. */
export function ChangeSheet({
  relationship,
  user,
  open,
  onClose,
}: {
  relationship: OwnRelationship;
  user: CurrentUser;
  open: boolean;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const [form] = Form.useForm<Fields>();
  const { refusal, isProving } = useProvenRefusal(form);
  const [send, { isLoading }] = useChangeLevelMutation();
  const [changed, setChanged] = useState(false);
  // What the form was opened with: another tab may change it meanwhile.
  const [{ id, name, level: seen, levels, end, changedAt }] = useState(relationship);
  const chosen = Form.useWatch('level', form) ?? seen.id;
  const isMore = levels.some((one) => one.id === chosen && one.isMore);

  const submit = async ({ level, currentPassword }: Fields) => {
    refusal.clear();
    const proof = isMore && currentPassword ? { currentPassword } : {};
    const last = changedAt === null ? {} : { seenChange: changedAt };
    const { error } = await send({ id, seen: seen.id, level, ...last, ...proof });
    if (!error) {
      onClose();
      notify('success', t('family.changed', { name: isolateName(name) }));
      return;
    }
    setChanged(isRefusedFor(error, 'representation-changed'));
    refusal.show(error, ['level', 'currentPassword']);
  };

  return (
    <Sheet
      open={open}
      onClose={onClose}
      caption={t('family.changeCaption')}
      title={<bdi>{name}</bdi>}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button
            type="primary"
            loading={isLoading}
            disabled={chosen === seen.id || changed}
            onClick={() => form.submit()}
          >
            {t('family.changeSave')}
          </Button>
        </>
      }
    >
      <Form<Fields>
        form={form}
        layout="vertical"
        requiredMark={false}
        onFinish={submit}
        noValidate
        initialValues={{ level: seen.id }}
      >
        <Form.Item
          name="level"
          label={t('family.level')}
          extra={t(isMore ? 'family.changeMore' : 'family.changeLess', { name: isolateName(name) })}
        >
          <LevelChoice levels={levels} />
        </Form.Item>
        <p className={styles.until}>
          {end ? t('family.endsByItself', { date: dayText(end) }) : t('family.askedYearly')}
        </p>
        <ProofFields user={user} isNeeded={isProving && isMore} />
        <ErrorList errors={refusal.errors} />
      </Form>
    </Sheet>
  );
}
