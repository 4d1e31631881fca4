// The data that page.cc wrote, with the functions of all images in one table: a column is an
// array, and a function is its number in it.

// Names are stored as the number of characters shared with the one before, and the rest.
function readNames({ shared, rest }) {
  const names = new Array(rest.length);
  let before = "";
  for (let i = 0; i < rest.length; ++i) {
    before = names[i] = before.slice(0, shared[i]) + rest[i];
  }
  return names;
}

const kColumns = ["kernel", "code", "bytes", "registers", "stack", "spills", "barriers", "local", "shared", "constant",
  "threads", "duplicates"];
const kUnbounded = 0xffffffff; // a stack without limit

function readReport(text) {
  const raw = JSON.parse(text);
  const total = raw.images.reduce((sum, image) => sum + image.code.length, 0);
  const report = {
    ...raw, count: total, name: [], family: [], image: new Uint32Array(total), input: new Array(total),
    callStart: new Uint32Array(total + 1), callTo: [],
  };
  report.columns = raw.compares ? [...kColumns, "instructions"] : kColumns;
  for (const column of report.columns) report[column] = new Float64Array(total);
  let first = 0;
  raw.images.forEach((image, number) => {
    addImage(report, image, number, first);
    first += image.code.length;
  });
  report.callStart[total] = report.callTo.length;
  return report;
}

function addImage(report, image, number, first) {
  const families = readNames(image.families);
  const names = readNames(image.names);
  for (let i = 0; i < names.length; ++i) {
    const f = first + i;
    report.name.push(names[i]);
    report.family.push(families[image.family[i]]);
    report.image[f] = number;
    report.input[f] = image.input[i] < 0 ? "" : image.inputs[image.input[i]];
    report.callStart[f] = report.callTo.length;
    const end = i + 1 < names.length ? image.callStart[i + 1] : image.callTo.length;
    for (let at = image.callStart[i]; at < end; ++at) report.callTo.push(first + image.callTo[at]);
  }
  for (const column of report.columns) report[column].set(image[column], first);
  image.first = first;
  image.end = first + names.length;
}

// Names as the file has them, which are needed seldom.
function mangledNames(image) {
  image.mangledNames ??= readNames(image.mangled);
  return image.mangledNames;
}

function mangledName(report, f) {
  const image = report.images[report.image[f]];
  return mangledNames(image)[f - image.first];
}

function calleesOf(report, f) {
  return report.callTo.slice(report.callStart[f], report.callStart[f + 1]);
}

// Who calls a function; the table is made when it is first asked for.
function callersOf(report, f) {
  if (!report.callers) {
    report.callers = new Map();
    for (let caller = 0; caller < report.count; ++caller) {
      for (let at = report.callStart[caller]; at < report.callStart[caller + 1]; ++at) {
        const callee = report.callTo[at];
        if (!report.callers.has(callee)) report.callers.set(callee, []);
        report.callers.get(callee).push(caller);
      }
    }
  }
  return report.callers.get(f) ?? [];
}

// All that a function reaches, itself included.
function reachedFrom(report, f) {
  const seen = new Set([f]);
  for (const at of seen) calleesOf(report, at).forEach((callee) => seen.add(callee));
  return [...seen];
}

// Whether code is for one target only, so that nobody has to be told which.
function hasOneTarget(report) {
  return new Set(report.images.map((image) => image.target)).size <= 1;
}

function targetOf(report, f) {
  return report.images[report.image[f]].target;
}

// Groups of functions with the same machine code, the largest waste first.
function duplicatesOf(report) {
  const groups = new Map();
  for (let f = 0; f < report.count; ++f) {
    const group = report.duplicates[f];
    if (group === 0) continue;
    if (!groups.has(group)) groups.set(group, []);
    groups.get(group).push(f);
  }
  return [...groups.values()];
}

// Names and inputs for searches, made when somebody searches.
function searchedNames(report) {
  report.lowerNames ??= report.name.map((name, f) => (name + " " + report.input[f]).toLowerCase());
  return report.lowerNames;
}

// The last part of a path.
function baseName(path) {
  return path.slice(path.lastIndexOf("/") + 1) || path;
}

// The piece of code in its file, whose name has the target, or the file and the target.
function imageTitle(image) {
  if (image.name !== image.file) return baseName(image.file) + " · " + image.name;
  return baseName(image.file) + (image.target ? " · " + image.target : "");
}
