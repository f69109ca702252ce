import { CloseOutlined, DownOutlined } from '@ant-design/icons';
import { Button, Modal } from 'antd';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  type ClientSection,
  clientSections,
  defaultClientForm,
} from '../../../../../src/contract/rules/clients/client-fields.js';
import { useAddClientMutation } from '../../../api/clients.js';
import { keptDraft } from '../../../shared/drafts.js';
import { notify } from '../../../shared/notices.js';
import { StepMark } from '../../../shared/ui/step-mark.js';
import { useMedia } from '../../../shared/use-media.js';
import type { ClientContext } from '../client-context.js';
import styles from './add-client-dialog.module.css';
import { clientDraftName } from './client-draft.js';
import { FormMessages } from './form-messages.js';
import { FormFrame, SectionFields, useReveal } from './form-sections.js';
import { ClientFormProvider, type KeptClientDraft, useClientForm, useClientFormState } from './use-client-form.js';

const formId = 'add-client';

/** A new client, section by section (`spec §2` Client form). */
export function AddClientDialog({
  open,
  context,
  onClose,
  afterClose,
}: {
  open: boolean;
  context: ClientContext;
  onClose: () => void;
  afterClose: () => void;
}) {
  const { t } = useTranslation();
  const [current, setCurrent] = useState<ClientSection>(clientSections[0]);
  const [add, { isLoading }] = useAddClientMutation();
  const { place, reveal } = useReveal(setCurrent);
  const name = clientDraftName('new');
  const [kept] = useState(() => keptDraft<KeptClientDraft>(name));
  const state = useClientForm({
    mode: 'create',
    context,
    before: defaultClientForm(),
    start: defaultClientForm(),
    draft: { name, kept, version: () => undefined },
    reveal,
    save: async (form) => {
      const result = await add(form);
      if (!result.error) {
        notify('success', t('clients.added'));
        state.finish(onClose);
      }
      return result;
    },
  });
  const { sections, check, submit, leave, question } = state;
  const index = Math.max(0, sections.indexOf(current));
  const section = sections[index] ?? clientSections[0];
  const isLast = index === sections.length - 1;
  const heading = useRef<HTMLHeadingElement>(null);
  const go = (to: ClientSection | undefined) => {
    if (!to) return;
    check(section);
    setCurrent(to);
    heading.current?.focus();
  };
  const next = (event?: FormEvent) => {
    event?.preventDefault();
    go(sections[index + 1]);
  };
  const close = () => leave(onClose);

  return (
    <ClientFormProvider value={{ ...state, submit: isLast ? submit : next }}>
      <Modal
        open={open}
        centered
        width={1040}
        className={styles.dialog}
        classNames={{ container: styles.container, header: styles.header, body: styles.body }}
        title={t('clients.add')}
        closable={false}
        mask={{ closable: false }}
        scrollLock={false}
        destroyOnHidden
        onCancel={close}
        afterClose={afterClose}
        // Ant Design takes the focus to what comes first, which is a step.
        afterOpenChange={(opened) => opened && place.current?.querySelector<HTMLElement>('input, textarea')?.focus()}
        footer={null}
      >
        <Steps current={section} onGo={go} />
        <div className={styles.head}>
          <p className={styles.step}>{t('clientForm.step', { number: index + 1, total: sections.length })}</p>
          <h2 ref={heading} tabIndex={-1}>
            {t(`clientForm.sectionTitles.${section}`)}
          </h2>
          <p className={styles.lead}>{t(`clientForm.sections.${section}`)}</p>
          <Button
            type="text"
            className={styles.close}
            icon={<CloseOutlined aria-hidden />}
            aria-label={t('common.close')}
            onClick={close}
          />
        </div>
        <div ref={place} className={styles.fields}>
          <FormMessages />
          <FormFrame id={formId}>
            <SectionFields key={section} section={section} />
          </FormFrame>
        </div>
        <div className={styles.footer}>
          <Button type="text" className={styles.cancel} onClick={close}>
            {t('common.cancel')}
          </Button>
          {index > 0 && <Button onClick={() => go(sections[index - 1])}>{t('clientForm.previous')}</Button>}
          <Button
            type="primary"
            htmlType="submit"
            form={formId}
            loading={isLoading}
            // The second half of a double click on Next, which stood here before.
            onClick={(event) => isLast && event.detail > 1 && event.preventDefault()}
          >
            {t(isLast ? 'common.save' : 'clientForm.next')}
          </Button>
        </div>
      </Modal>
      {question}
    </ClientFormProvider>
  );
}

/** Every section with how it stands; on a phone one line, which opens the list. */
function Steps({ current, onGo }: { current: ClientSection; onGo: (section: ClientSection) => void }) {
  const { t } = useTranslation();
  const { sections, errorCount, isChecked } = useClientFormState();
  const narrow = useMedia('(max-width: 767.98px)');
  const [open, setOpen] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list has done its work when there is another step
  useEffect(() => setOpen(false), [current]);
  return (
    <nav className={styles.rail} aria-label={t('clientForm.steps')}>
      {narrow && (
        <Button type="text" className={styles.opener} aria-expanded={open} onClick={() => setOpen(!open)}>
          {t('clientForm.step', { number: sections.indexOf(current) + 1, total: sections.length })}
          <DownOutlined aria-hidden />
        </Button>
      )}
      <ol className={styles.steps} hidden={narrow && !open}>
        {sections.map((section, index) => {
          const errors = errorCount(section);
          const isDone = errors === 0 && isChecked(section);
          const look = errors > 0 ? 'wrong' : section === current ? 'current' : isDone ? 'done' : 'open';
          return (
            <li key={section}>
              <button
                type="button"
                className={look === 'open' ? styles.open : undefined}
                aria-current={section === current ? 'step' : undefined}
                onClick={() => onGo(section)}
              >
                <StepMark look={look} number={index + 1} />
                <span>
                  <span className={styles.name}>{t(`clientForm.sectionTitles.${section}`)}</span>
                  {errors > 0 && <span className={styles.errors}>{t('clientForm.errors', { count: errors })}</span>}
                  {isDone && section !== current && <span className="visually-hidden">{t('clientForm.done')}</span>}
                </span>
              </button>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
