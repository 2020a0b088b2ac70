// 20,000 bodies instead of 2,000.
import './built-totals.spec.js';
