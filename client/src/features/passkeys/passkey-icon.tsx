/** A key, as browsers mark passkeys. Ant Design's own icons have none, and its frame for others would load them all. */
export const PasskeyIcon = () => (
  <span className="anticon" aria-hidden="true">
    <svg
      width="1em"
      height="1em"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <circle cx="15" cy="9" r="6" />
      <path d="M10.5 13.5 3 21m3-3 2.5 2.5M3 18l1.5 1.5" />
    </svg>
  </span>
);
