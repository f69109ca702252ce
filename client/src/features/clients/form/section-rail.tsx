import { DownOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClientSection } from '../../../../../src/contract/rules/clients/client-fields.js';
import { clientFields } from '../../../../../src/contract/rules/clients/client-fields.js';
import { useMedia } from '../../../shared/browser/use-media.js';
import styles from './section-rail.module.css';
import { useEditView } from './state/edit-view.js';
import { useClientFormState } from './state/use-client-form.js';
import { useSectionInView } from './use-section-in-view.js';
import './words/en.js';

const wholeScreen = '(max-width: 991.98px)';

/**
 * The sections of the form: the one in view is marked, each says how much of it was decided. In a narrow window it is
 * one line, which opens the list.
 */
export function SectionRail({ content }: { content: RefObject<HTMLElement | null> }) {
  const { t } = useTranslation();
  const { sections } = useClientFormState();
  const narrow = useMedia(wholeScreen);
  const [open, setOpen] = useState(false);
  const { current, go } = useSectionInView(content, sections);
  const opener = useRef<HTMLButtonElement>(null);
  const isOpen = !narrow || open;
  useEffect(() => {
    if (!narrow) setOpen(false);
  }, [narrow]);
  return (
    <nav
      className={styles.rail}
      aria-label={t('clientEdit.sections')}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !narrow || !open) return;
        // The sheet stays.
        event.stopPropagation();
        setOpen(false);
        opener.current?.focus();
      }}
    >
      {narrow && (
        <Button
          ref={opener}
          type="text"
          className={styles.opener}
          aria-expanded={open}
          onClick={() => setOpen((before) => !before)}
        >
          <span className={styles.name}>{t(`clientForm.sectionTitles.${current}`)}</span>
          <Mark section={current} />
          <DownOutlined aria-hidden />
        </Button>
      )}
      {isOpen && (
        <>
          <ul className={styles.list} onKeyDown={moveByArrows}>
            {sections.map((section) => (
              <li key={section}>
                <button
                  type="button"
                  className={styles.item}
                  aria-current={section === current ? 'true' : undefined}
                  onClick={() => {
                    setOpen(false);
                    go(section);
                  }}
                >
                  <span className={styles.name}>{t(`clientForm.sectionTitles.${section}`)}</span>
                  <Mark section={section} />
                </button>
              </li>
            ))}
          </ul>
          <p className={styles.legend}>{t('clientEdit.legend')}</p>
        </>
      )}
    </nav>
  );
}

/** The number of settings that differ from the default, or that something is to be decided or corrected. */
function Mark({ section }: { section: ClientSection }) {
  const { t } = useTranslation();
  const { errorCount, undecided, fieldsOf } = useClientFormState();
  const view = useEditView();
  const open = errorCount(section) + undecided.filter((field) => clientFields[field].section === section).length;
  const count = fieldsOf(section).filter((field) => view?.differs(field)).length;
  if (open > 0) {
    return (
      <span className={`${styles.mark} ${styles.open}`}>
        <span aria-hidden="true">!</span>
        <span className="visually-hidden">{t('clientEdit.toDecideHere', { count: open })}</span>
      </span>
    );
  }
  if (count === 0) return <span className={styles.default}>{t('clientEdit.isDefault')}</span>;
  return (
    <span className={styles.mark}>
      <span aria-hidden="true">{count}</span>
      <span className="visually-hidden">{t('clientEdit.differ', { count })}</span>
    </span>
  );
}

function moveByArrows(event: KeyboardEvent<HTMLElement>) {
  const items = [...event.currentTarget.querySelectorAll('button')];
  const at = items.indexOf(event.target as HTMLButtonElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
  if (to === undefined || at < 0) return;
  event.preventDefault();
  items[Math.min(Math.max(to, 0), items.length - 1)]?.focus();
}
