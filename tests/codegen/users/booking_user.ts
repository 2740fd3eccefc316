// What is right passes, and each wrong line is marked.
import { table, type Arguments, type Context, type EventName, type SendableEvent, type State, type Tool } from "./booking";

const digest: `sha256:${string}` = table.digest;
const id: "booking" = table.about.id;
const names: readonly State[] = table.machine.states.map((state) => state.name);
const sent: SendableEvent = "CANCELLED";
const happened: EventName = "CONFIRMED";
const confirm: Arguments<"confirm"> = { slot: "s-1", price: 20, patient: "p-1" };
const hours: Arguments<"opening_hours"> = {};
const facts: Context = { slot: { status: "free" } };

function call<T extends Tool>(tool: T, values: Arguments<T>): string {
  return JSON.stringify([tool, values]);
}

call("confirm", confirm);
call("verify_identity", { document: "d-1" });
export const all = [digest, id, names, sent, happened, hours, facts];

export const state: State = "BOKING"; // error
export const reserved: SendableEvent = "CONFIRMED"; // error
export const tool: Tool = "conferm"; // error
export const wrongTool: Arguments<"conferm"> = {}; // error
export const wrongName: Arguments<"confirm"> = { slot: "s-1", price: 20, pacient: "p-1" }; // error
export const wrongType: Arguments<"confirm"> = { slot: "s-1", price: "20", patient: "p-1" }; // error
export const missing: Arguments<"confirm"> = { slot: "s-1", price: 20 }; // error
export const wrongFact: Context = { slot: { status: "gone" } }; // error
call("confirm", { document: "d-1" }); // error
call("conferm", {}); // error
table.machine.states[0].name = "TRIAGE"; // error
