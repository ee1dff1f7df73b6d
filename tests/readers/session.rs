//! Pi's session files: read, and written anew entry by entry.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use pi_tools::{Session, SessionFile};
use serde_json::{Value, json};

use crate::equal;

/// The type of the custom entries in the cases.
const CUSTOM: &str = "todo-state";

pub(crate) fn restored(case: &Value) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    read(case, &folder.path().join("read.jsonl"))?;
    write(case, &folder.path().join("written.jsonl"))
}

/// The file as Pi has written it.
fn read(case: &Value, path: &Path) -> Result<(), String> {
    if case["persisted"] == true {
        let lines = [&case["header"]].into_iter().chain(case["entries"].as_array().unwrap());
        fs::write(path, lines.map(|line| format!("{line}\n")).collect::<String>()).unwrap();
    }
    let mut file = open(path)?;
    if case["persisted"] == true {
        equal(&file.header().to_string(), &case["header"].to_string())?;
    }
    equal(&json!(file.entries()).to_string(), &case["entries"].to_string())?;
    equal(&json!(file.leaf()).to_string(), &case["reopened_leaf"].to_string())?;
    if case["persisted"] == true {
        equal(&ids(&file).to_string(), &case["reopened_branch"].to_string())?;
        leaves(&file, &case["restore"])?;
        move_to(&mut file, case["live_leaf"].as_str())?;
        equal(&ids(&file).to_string(), &case["live_branch"].to_string())?;
    }
    Ok(())
}

/// The file as we write it. Ids and times are our own, all else is Pi's.
fn write(case: &Value, path: &Path) -> Result<(), String> {
    let mut file = open(path)?;
    if case["persisted"] != true {
        // The case has no entries, because they are in no file: what was appended is known from what is restored.
        let data = &case["restore"]["last_custom"];
        let appended = case["live_branch"].as_array().unwrap().iter().map(|id| {
            let own = file.append_custom(CUSTOM, Some(data.clone())).map_err(|error| error.to_string())?;
            Ok::<_, String>((id.as_str().unwrap(), own))
        });
        let own_ids = appended.collect::<Result<HashMap<_, _>, _>>()?;
        equal(
            &json!(file.leaf()).to_string(),
            &json!(case["live_leaf"].as_str().map(|id| own_ids.get(id))).to_string(),
        )?;
        equal(&file.branch().len().to_string(), &own_ids.len().to_string())?;
        leaves(&file, &case["restore"])?;
        drop(file);
        return equal(&json!(path.exists().then_some("a file")).to_string(), &case["reopened_branch"].to_string());
    }
    let mut own_ids: HashMap<&str, String> = HashMap::new();
    for entry in case["entries"].as_array().unwrap() {
        move_to(&mut file, entry["parentId"].as_str().map(|parent| own_ids[parent].as_str()))?;
        let id = match entry["type"].as_str().unwrap() {
            "message" => file.append_message(entry["message"].clone()),
            "custom" => file.append_custom(entry["customType"].as_str().unwrap(), entry.get("data").cloned()),
            kind => {
                let fields = entry.as_object().unwrap().clone().into_iter();
                let added = ["type", "id", "parentId", "timestamp"];
                file.append(kind, fields.filter(|(field, _)| !added.contains(&field.as_str())).collect())
            }
        };
        own_ids.insert(entry["id"].as_str().unwrap(), id.map_err(|error| error.to_string())?);
    }
    move_to(&mut file, case["live_leaf"].as_str().and_then(|id| own_ids.get(id)).map(String::as_str))?;
    let pis = |id: &str| own_ids.iter().find(|(_, own)| *own == id).map(|(pis, _)| (*pis).to_owned());
    let translated = |file: &SessionFile| {
        json!(file.branch().iter().map(|entry| pis(entry["id"].as_str().unwrap())).collect::<Vec<_>>())
    };
    equal(&translated(&file).to_string(), &case["live_branch"].to_string())?;
    drop(file);

    let file = open(path)?;
    // A fork's header says more.
    if let Some((field, _)) =
        file.header().as_object().unwrap().iter().find(|(name, _)| case["header"].get(name).is_none())
    {
        return Err(format!("the header has `{field}`"));
    }
    equal(&file.header()["version"].to_string(), &case["header"]["version"].to_string())?;
    equal(&translated(&file).to_string(), &case["reopened_branch"].to_string())?;
    equal(&json!(file.leaf().and_then(pis)).to_string(), &case["reopened_leaf"].to_string())?;
    for (own, pis_own) in file.entries().iter().zip(case["entries"].as_array().unwrap()) {
        let mut own = own.clone();
        for field in ["id", "parentId"] {
            own[field] = json!(own[field].as_str().map(|id| pis(id).unwrap()));
        }
        own["timestamp"] = pis_own["timestamp"].clone();
        if own != *pis_own {
            equal(&own.to_string(), &pis_own.to_string())?;
        }
    }
    leaves(&file, &case["restore"])
}

/// What the branch leaves: the state, and the custom entries.
fn leaves(file: &SessionFile, expected: &Value) -> Result<(), String> {
    let states = Session::restore(file.branch(), &["todos"]);
    let todos = states.get("todos").cloned().unwrap_or_else(|| json!([]));
    equal(&todos.to_string(), &expected["todos"].to_string())?;
    let last = file.session(&["todos"]).entries(CUSTOM).pop();
    equal(&json!(last).to_string(), &expected["last_custom"].to_string())
}

fn ids(file: &SessionFile) -> Value {
    file.branch().iter().map(|entry| entry["id"].clone()).collect()
}

fn move_to(file: &mut SessionFile, id: Option<&str>) -> Result<(), String> {
    file.move_to(id).map_err(|error| error.to_string())
}

fn open(path: &Path) -> Result<SessionFile, String> {
    SessionFile::open(path, "/w").map_err(|error| error.to_string())
}
