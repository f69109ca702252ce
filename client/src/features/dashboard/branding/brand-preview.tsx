import type { CSSProperties } from 'react';
import { useTranslation } from 'react-i18next';
import { accentColors, type Mode } from '../../../shared/ui/accent.js';
import { ProductMark } from '../../../shared/ui/marks/brand-mark.js';
import type { Brand } from './brand.js';
import styles from './branding.module.css';
import '../../login/words/en.js';
import './words/en.js';

/** A small picture of the sign-in page; nothing in it can be used. */
export function BrandPreview({ brand, mode }: { brand: Brand; mode: Mode }) {
  const { t } = useTranslation();
  const { organizationTitle, loginPageText, accentColor, logo } = brand;
  const { colorPrimary, colorPrimaryText } = accentColors(accentColor.trim() || null, mode);
  const name = organizationTitle.trim() || t('product.name');
  const colors = { '--brand': colorPrimary, '--brand-text': colorPrimaryText } as CSSProperties;
  return (
    <figure className={styles.figure}>
      <div className={`${styles.preview} ${styles[mode]}`} style={colors} aria-hidden="true">
        <p className={styles.brand}>
          {logo ? (
            <img src={`data:${logo.mimeType};base64,${logo.base64}`} alt="" className={styles.logo} />
          ) : (
            <ProductMark size={20} />
          )}
          <span>{name}</span>
        </p>
        <p className={styles.previewTitle}>{t('login.title')}</p>
        <p className={styles.previewText}>{loginPageText.trim() || t('login.lead', { organization: name })}</p>
        <span className={styles.field}>{t('common.email')}</span>
        <span className={styles.field}>{t('common.password')}</span>
        <span className={styles.button}>{t('login.submit')}</span>
        <span className={styles.link}>{t('login.forgot')}</span>
      </div>
      <figcaption>{t(`branding.${mode}`)}</figcaption>
    </figure>
  );
}
