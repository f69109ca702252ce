import { CheckCircleFilled, CloseCircleFilled } from '@ant-design/icons';
import { useCallback, useEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import { type Notice, noticeDuration, onNotice, type ShownNotice } from '../shared/notices.js';
import styles from './notice-bar.module.css';

const most = 3;
/** As long as the animation of `.leaving`, in milliseconds. */
const leaving = 160;

/** The latest notices at the top, in the centre. `message` of Ant Design would cost each page 4 kB more. */
export function NoticeBar({ className }: { className: string }) {
  const [notices, setNotices] = useState<Notice[]>([]);
  const remove = useCallback((id: number) => setNotices((before) => before.filter((one) => one.id !== id)), []);
  useEffect(
    () =>
      onNotice((next) => setNotices((before) => [next, ...before.filter(({ id }) => id !== next.id)].slice(0, most))),
    [],
  );
  if (notices.length === 0) return null;
  return createPortal(
    <div className={`notices ${styles.bar} ${className}`}>
      {notices.map((notice) => {
        const As = notice.as ?? Shown;
        return <As key={notice.id} notice={notice} remove={remove} className={styles.notice} />;
      })}
    </div>,
    document.body,
  );
}

/** Stays for its time, and while the pointer is on it. */
function Shown({ notice: { id, type, text }, remove, className }: ShownNotice) {
  const [held, setHeld] = useState(false);
  const [over, setOver] = useState(false);
  useEffect(() => {
    if (held) return undefined;
    const wait = over ? leaving : noticeDuration * 1000;
    const timer = setTimeout(() => (over ? remove(id) : setOver(true)), wait);
    return () => clearTimeout(timer);
  }, [held, over, id, remove]);
  const Icon = type === 'success' ? CheckCircleFilled : CloseCircleFilled;
  return (
    <div
      role="alert"
      className={`${className} ${over ? styles.leaving : ''}`}
      onPointerEnter={() => setHeld(!over)}
      onPointerLeave={() => setHeld(false)}
    >
      <Icon className={styles[type]} aria-hidden />
      {text}
    </div>
  );
}
