import { Button } from 'antd';
import { type FormEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClientForm } from '../../../../../src/contract/clients/clients.js';
import { type ClientSection, clientSections } from '../../../../../src/contract/rules/clients/client-fields.js';
import { useAddClientMutation } from '../../../api/clients/clients.js';
import { keptDraft } from '../../../shared/drafts/drafts.js';
import { isolateName } from '../../../shared/i18n/isolate-name.js';
import { notify } from '../../../shared/notices.js';
import { Banner } from '../../../shared/ui/layout/banner.js';
import { type Leaving, useLeaving } from '../../../shared/ui/overlays/record-sheet.js';
import type { ClientContext } from '../client-context.js';
import styles from './add-client-dialog.module.css';
import { FormMessages } from './form-messages.js';
import { FormFrame, SectionFields, useReveal } from './form-sections.js';
import { ClientFormProvider, type KeptClientDraft, useClientForm } from './state/use-client-form.js';
import { StepHead, Steps } from './steps.js';
import './words/en.js';

const formId = 'add-client';

/** A new client, section by section (`spec §2` Client form). */
export function NewClient({
  start,
  draftName,
  copyOf,
  context,
  leaving,
  onOtherKind,
  onClose,
}: {
  start: ClientForm;
  draftName: string;
  /** Name of the client whose settings it begins with. */
  copyOf?: string | undefined;
  context: ClientContext;
  leaving: RefObject<Leaving>;
  /** Back to the choice that it began with. */
  onOtherKind?: (() => void) | undefined;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const [current, setCurrent] = useState<ClientSection>(clientSections[0]);
  const [add, { isLoading }] = useAddClientMutation();
  const { place, reveal } = useReveal(setCurrent);
  const [kept] = useState(() => keptDraft<KeptClientDraft>(draftName));
  const state = useClientForm({
    mode: 'create',
    context,
    before: start,
    start,
    draft: { name: draftName, kept, version: () => undefined },
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
  useLeaving(leaving, state);
  // The choice that had the focus is not there any more.
  useEffect(() => place.current?.querySelector<HTMLElement>('input, textarea')?.focus(), [place]);
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
      <Steps current={section} onGo={go} />
      <StepHead section={section} heading={heading} onClose={close} />
      <div ref={place} className={styles.fields}>
        <FormMessages />
        {copyOf !== undefined && <Copied section={section} name={copyOf} uris={start.redirectUris.length} />}
        <FormFrame id={formId}>
          <SectionFields key={section} section={section} />
        </FormFrame>
      </div>
      <div className={styles.footer}>
        <Button type="text" className={styles.cancel} onClick={close}>
          {t('common.cancel')}
        </Button>
        {index === 0 && onOtherKind && <Button onClick={() => leave(onOtherKind)}>{t('clientAdd.otherKind')}</Button>}
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
      {question}
    </ClientFormProvider>
  );
}

/** Names the settings that an administrator has to check before a copy is saved. */
function Copied({ section, name, uris }: { section: ClientSection; name: string; uris: number }) {
  const { t } = useTranslation();
  const values = { name: isolateName(name) };
  if (section === 'General Information') return <Banner>{t('clientAdd.copied', values)}</Banner>;
  return (
    section === 'Authorization Process' &&
    uris > 0 && <Banner tone="warning">{t('clientAdd.copiedUris', values)}</Banner>
  );
}
