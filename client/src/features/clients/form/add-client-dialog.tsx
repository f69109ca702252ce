import { Button, Modal } from 'antd';
import { type FormEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  type ClientSection,
  clientSections,
  defaultClientForm,
} from '../../../../../src/contract/rules/clients/client-fields.js';
import { useAddClientMutation } from '../../../api/clients.js';
import { keptDraft } from '../../../shared/drafts/drafts.js';
import { notify } from '../../../shared/notices.js';
import type { ClientContext } from '../client-context.js';
import styles from './add-client-dialog.module.css';
import { FormMessages } from './form-messages.js';
import { FormFrame, SectionFields, useReveal } from './form-sections.js';
import { clientDraftName } from './state/client-draft.js';
import { ClientFormProvider, type KeptClientDraft, useClientForm } from './state/use-client-form.js';
import { StepHead, Steps } from './steps.js';

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
        <StepHead section={section} heading={heading} onClose={close} />
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
