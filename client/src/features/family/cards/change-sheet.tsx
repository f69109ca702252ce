import { Button, Form } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { LevelView, SingleChoices } from '../../../../../src/contract/representation/levels.js';
import type { OwnRelationship } from '../../../../../src/contract/representation.js';
import type { CurrentUser } from '../../../../../src/contract/session.js';
import { isRefusedFor } from '../../../api/failures/form-errors.js';
import { useChangeLevelMutation } from '../../../api/own-record/family.js';
import { isolateName } from '../../../shared/i18n/isolate-name.js';
import { LevelChoice } from '../../../shared/levels/level-choice.js';
import { askedLevel, type LevelFields, singleKinds } from '../../../shared/levels/level-fields.js';
import { namedKinds } from '../../../shared/levels/level-texts.js';
import { notify } from '../../../shared/notices.js';
import { ErrorList } from '../../../shared/ui/forms/error-list.js';
import { Sheet } from '../../../shared/ui/overlays/sheet.js';
import { dayText } from '../day.js';
import styles from '../family.module.css';
import { ProofFields } from '../proof-fields.js';
import { useProvenRefusal } from '../use-proven-refusal.js';

interface Fields extends LevelFields {
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
  // The level with which the form was opened: another tab may change it meanwhile.
  const [{ id, name, level: seen, levels, single, atMost, end, changedAt }] = useState(relationship);
  const initial = presentChoice(seen, single);
  const chosen = Form.useWatch('level', form) ?? initial.level;
  const kinds = Form.useWatch('kinds', form) ?? initial.kinds ?? [];
  const isSame = chosen === initial.level && (chosen !== singleKinds || isSameSet(kinds, initial.kinds ?? []));
  const isMore =
    chosen === singleKinds
      ? hasMore(askedLevel({ level: chosen, kinds }, single), single)
      : levels.some((one) => one.id === chosen && one.isMore);

  const submit = async ({ currentPassword, ...fields }: Fields) => {
    refusal.clear();
    const proof = isMore && currentPassword ? { currentPassword } : {};
    const last = changedAt === null ? {} : { seenChange: changedAt };
    const { error } = await send({ id, seen: seen.id, ...askedLevel(fields, single), ...last, ...proof });
    if (!error) {
      onClose();
      notify('success', t('family.changed', { name: isolateName(name) }));
      return;
    }
    setChanged(isRefusedFor(error, 'representation-changed'));
    refusal.show(error, ['level', 'kinds', 'currentPassword']);
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
          <Button type="primary" loading={isLoading} disabled={isSame || changed} onClick={() => form.submit()}>
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
        initialValues={initial}
      >
        <Form.Item
          name="level"
          label={t('family.level')}
          extra={t(isMore ? 'family.changeMore' : 'family.changeLess', { name: isolateName(name) })}
        >
          <LevelChoice levels={levels} single={single} />
        </Form.Item>
        {atMost !== null && <p className={styles.until}>{t('family.atMost', { level: atMost })}</p>}
        <p className={styles.until}>
          {end ? t('family.endsByItself', { date: dayText(end) }) : t('family.askedYearly')}
        </p>
        <ProofFields user={user} isNeeded={isProving && isMore} />
        <ErrorList errors={refusal.errors} />
      </Form>
    </Sheet>
  );
}

/** The first values of the form: the present level, or its kinds as far as they can be given. */
function presentChoice({ id, isChosen, kinds }: LevelView, single: SingleChoices | null): LevelFields {
  if (!isChosen || !single) return { level: id };
  const isPresent = ({ value }: { value: string }) => value.split(' ').every((kind) => kinds?.includes(kind));
  const present = namedKinds(single)
    .filter(isPresent)
    .map(({ value }) => value);
  return { level: singleKinds, kinds: present };
}

function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((value) => other.includes(value));
}

function hasMore({ kinds = [] }: ReturnType<typeof askedLevel>, single: SingleChoices | null): boolean {
  return single?.kinds.some(({ kind, isMore }) => isMore && kinds.includes(kind)) ?? false;
}
