"""Real tables as they come, names and missing values included: `fit` of sonlearn.sklearn beside scikit-learn's.

    python bench/real_tables.py FOLDER [--only two|several|values]

FOLDER: `csv` of a clone of Rdatasets, the data of R's packages. Each table is shuffled once and cut to 12,000 rows;
three quarters are learned with all as it comes, the last one is predicted: log loss, of values the squared error over
the variance. Beside logistic regression, or ridge with its penalty chosen, on indicators and z-scores, boosted trees,
and random forests. At the end of each kind the geometric means of the ratios, also to the best of the three.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.table import Table
from sonlearn.sklearn import SonlearnClassifier, SonlearnRegressor

ROWS, RAREST, CLASSES = 12_000, 8, 30
#: package/table:label, and columns left out since they tell it.
TWO = """
    modeldata/wa_churn:churn modeldata/lending_club:Class modeldata/cells:class:case modeldata/ad_data:Class
    modeldata/pd_speech:class modeldata/credit_data:Status modeldata/attrition:Attrition modeldata/grants_test:class
    modeldata/mlc_churn:churn modeldata/taxi:tip ISLR/Caravan:Purchase ISLR/Default:default ISLR/OJ:Purchase
    openintro/labor_market_discrimination:call openintro/email:spam AER/CreditCard:card AER/HMDA:deny
    Ecdat/HI:hhi:whi,hhi2 DAAG/nassCDS:dead:injSeverity,caseid DAAG/spam7:yesno carData/TitanicSurvival:survived
    carData/Mroz:lfp causaldata/credit_cards:LateSept survival/flchain:death:futime,chapter
    survival/rotterdam:death:pid,rtime,recur,dtime wooldridge/loanapp:action:approve,reject
    wooldridge/k401ksubs:e401k:p401k AER/Fertility2:morekids openintro/yrbss:gender
    medicaldata/covid_testing:result:ct_result,fake_first_name,fake_last_name,subject_id
    insuranceData/SingaporeAuto:Clm_Count:LNWEIGHT dslabs/brca:y modeldata/two_class_dat:Class
    modeldata/parabolic:class COUNT/medpar:died survival/nafld1:status:id,case.id,futime
"""
SEVERAL = """
    modeldata/leaf_id_flavia:species modeldata/hpc_data:class modeldata/penguins:species dslabs/olive:area:region
    dslabs/tissue_gene_expression:y ratdat/surveys:species_id:record_id MASS/fgl:type dplyr/storms:status:category
    stevedata/gss_spending:partyid openintro/birds:effect psych/bfi:education Ecdat/Car:choice
    wooldridge/happiness:happy:vhappy medicaldata/covid_testing:payor_group modeldata/oils:class
    modeldata/scat:Species palmerpenguins/penguins:island
"""
VALUES = """
    modeldata/ames:Sale_Price modeldata/hotel_rates:avg_price_per_room modeldata/Chicago:ridership
    modeldata/deliveries:time_to_delivery modeldata/concrete:compressive_strength modeldata/car_prices:Price
    modeldata/check_times:check_time:package modeldata/Sacramento:price modeldata/stackoverflow:Salary
    modeldata/meats:fat
    openintro/loans_full_schema:interest_rate:grade,sub_grade,installment,paid_total,paid_interest
    openintro/nycflights:arr_delay AER/CPS1988:wage AER/CPSSW8:earnings AER/HousePrices:price
    AER/DoctorVisits:visits Ecdat/Computers:price Ecdat/Males:wage:nr Ecdat/DoctorContacts:mdu
    Ecdat/BudgetFood:wfood ISLR/Wage:wage:logwage ISLR/Hitters:Salary ISLR/Auto:mpg ISLR/Carseats:Sales
    ISLR/College:Apps MASS/Boston:medv carData/SLID:wages carData/Salaries:salary carData/Vocab:vocabulary
    causaldata/abortion:lnr causaldata/restaurant_inspections:inspection_score
    causaldata/scorecard:earnings_med:unitid COUNT/rwm5yr:hhninc:id crch/RainIbk:rain
    insuranceData/dataOhlsson:skadkost mosaicData/TenMileRace:net:time nycflights13/weather:temp:time_hour
    plyr/baseball:hr:id ggplot2/diamonds:price wooldridge/bwght2:bwght:lbwght,lbw,vlbw wooldridge/crime1:narr86
    DAAG/cps1:re78 stevedata/anes_partytherms:therm_dem:uid openintro/yrbss:weight Ecdat/Star:tmathssk
    ratdat/surveys:weight:record_id psych/sat.act:SATQ mosaicData/Galton:height wooldridge/apple:ecolbs:id
"""


def tables(folder: Path, kind: str) -> Iterator[tuple[str, pd.DataFrame, Any]]:
    """Yield (name, columns, labels), shuffled; two classes are 0 and 1, the rarer one or all but the most frequent."""
    for entry in {"two": TWO, "several": SEVERAL, "values": VALUES}[kind].split():
        name, label, *left_out = entry.split(":")
        X = pd.read_csv(folder / f"{name}.csv", na_values=["?"], low_memory=False)
        X = X[X[label].notna()].sample(frac=1, random_state=1).reset_index(drop=True)[:ROWS]
        y = X.pop(label)
        if kind == "several":
            counts = y.value_counts()
            stays = y.isin(counts.index[counts >= RAREST][:CLASSES])
            X, y = X[stays], y[stays].astype(str)
        elif kind == "two":
            counts = y.value_counts()
            y = (y == counts.index[-1 if len(counts) == 2 else 0]).astype(int)
        X = X.drop(columns=["rownames", *",".join(left_out).split(",")], errors="ignore").dropna(axis=1, how="all")
        truth = list(X.select_dtypes(bool))
        X[truth] = X[truth].astype(int)
        yield name, X.reset_index(drop=True), y.reset_index(drop=True)


def peers(kind: str) -> list[Any]:
    """Linear, boosted trees, forest."""

    def made(model: Any, names: Any, *numbers: Any) -> Any:
        number = make_pipeline(*numbers) if numbers else "passthrough"
        of = lambda numeric: lambda X: [c for c in X if pd.api.types.is_numeric_dtype(X[c]) == numeric]  # noqa: E731
        return make_pipeline(make_column_transformer((number, of(True)), (names, of(False))), model)

    codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, min_frequency=3)
    indicators = OneHotEncoder(handle_unknown="ignore", min_frequency=3)
    values = kind == "values"
    linear = RidgeCV(np.logspace(-3, 3, 7)) if values else LogisticRegression(max_iter=2000)
    boosted = (HistGradientBoostingRegressor if values else HistGradientBoostingClassifier)(random_state=0)
    forest = (RandomForestRegressor(100, min_samples_leaf=2, random_state=0) if values
              else RandomForestClassifier(200, min_samples_leaf=2, random_state=0))  # fmt: skip
    return [made(linear, indicators, SimpleImputer(), StandardScaler()), made(boosted, codes),
            made(forest, codes, SimpleImputer())]  # fmt: skip


def loss(model: Any, kind: str, X: pd.DataFrame, y: Any) -> float:
    """What is lost on the last quarter after the first three."""
    cut = len(y) * 3 // 4
    model.fit(X[:cut], y[:cut])
    rest = y[cut:]
    if kind == "values":
        return float(np.mean((model.predict(X[cut:]) - rest) ** 2) / np.var(rest))
    p, classes = np.maximum(model.predict_proba(X[cut:]), 1e-6), list(model.classes_)
    return float(-np.log(p[np.arange(len(rest)), [classes.index(each) for each in rest]] / p.sum(axis=1)).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", choices=("two", "several", "values"))
    options = parser.parse_args()
    for kind in [options.only] if options.only else ["two", "several", "values"]:
        table, ratios = Table(kind, ("table", "rows", "sonlearn", "linear", "boosting", "forest")), []
        for name, X, y in tables(options.folder, kind):
            ours = loss(SonlearnRegressor() if kind == "values" else SonlearnClassifier(), kind, X, y)
            others = [loss(model, kind, X, y) for model in peers(kind)]
            table.row(name, len(y), ours, *others)
            ratios.append([ours / each for each in (*others, min(others))])
        means = np.exp(np.mean(np.log(ratios), axis=0))
        table.row("geometric mean of the ratio", None, None, *(f"{each:.3f}" for each in means[:3]))
        first = sum(each[3] <= 1 for each in ratios)
        print(f"\n{len(ratios)} tables: {means[3]:.3f} of the best of the three, first on {first}")


if __name__ == "__main__":
    main()
